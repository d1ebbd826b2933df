import { open, type Route, route } from "@lango/chassis";
import Type from "typebox";
import { keepHeaders } from "../../../inbox/delivery.ts";
import { inboxFailures } from "../../../inbox/failures.ts";
import { objectKeyOf } from "../../../inbox/object-key.ts";
import type { Treasury } from "../../../treasury.ts";
import { isSigned, signatureHeader } from "./signature.ts";

const bodyBytesMax = 1024 * 1024;

/** The webhook of the card gateway (payments text §4.2). */
export const cardWebhookRoutes = (treasury: Treasury): readonly Route[] => [
	route({
		method: "POST",
		url: "/api/v1/webhooks/cardgateway",
		access: open("the card gateway calls it; its signature proves who it is"),
		bytes: "any",
		bodyLimit: bodyBytesMax,
		addressLimit: { exempt: "the gateway sends the events of all tenants from few addresses" },
		schema: {
			summary: "Receives an event of the card gateway",
			description:
				"The signature is the HMAC-SHA512 of the bytes of the body. The event is stored before the answer, and applied soon after. The same bytes again change nothing.",
			tags: ["webhooks"],
			response: { 200: Type.Object({ received: Type.Literal(true) }) },
		},
		handler: async ({ headers, body, ip }) => {
			const raw = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
			const keys = await treasury.gateways.listWebhookKeys().catch(unavailable);
			const signature = headers[signatureHeader];
			if (!isSigned(raw, signature, keys)) {
				treasury.counts.refused("card_gateway");
				throw inboxFailures.signature_invalid({ cause: new Error(problemOf(signature)) });
			}
			const delivery = {
				...({ gateway: "card_gateway", route: "cardgateway" } as const),
				...{ profileId: undefined, tokenHash: undefined, raw, remoteIp: ip },
				...{ receivedAt: treasury.now(), headers: keepHeaders(headers) },
			};
			// The gateway sends it again for 72 hours.
			await treasury.inbox.store({ ...delivery, objectKey: objectKeyOf(delivery) }).catch(unavailable);
			return { received: true as const };
		},
	}),
];

/** A line of the log says it, ten times a minute at most. */
const problemOf = (signature: unknown): string =>
	signature === undefined ? "the signature is missing" : "no key of the card gateway signed the bytes";

function unavailable(cause: unknown): never {
	throw inboxFailures.inbox_unavailable({ cause });
}
