import { setTimeout as wait } from "node:timers/promises";
import { open, type Route, route } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { findAttempt } from "../payments/attempt.store.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findIntent } from "../payments/intent.store.ts";
import { findLocator, type Located } from "../payments/locator.store.ts";
import { payUrlOf } from "../payments/pay-code.ts";
import { returnTo } from "../payments/return-url.ts";
import { askNow } from "../recovery/ask-now.ts";
import type { Treasury } from "../treasury.ts";

/** A person waits for the answer; what comes later is still applied. */
const askedMaxMs = 3_000;

const Reference = Type.Optional(Type.String({ maxLength: 100 }));

/** Where the card gateway sends the payer's browser (payments text §4.2). */
export const redirectRoutes = (treasury: Treasury): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/payments/callback",
		access: open("the browser of a payer without an account comes here"),
		schema: {
			summary: "Sends a payer's browser on after a checkout",
			description:
				"The gateway is asked about the payment, three seconds at most. What the address says about the result is not read. The browser goes to the return_url of the request with intent_id and status, or to its pay page.",
			tags: ["payments"],
			querystring: Type.Object({ reference: Reference, trxref: Reference }, { additionalProperties: true }),
			response: { 303: Type.Null() },
		},
		handler: async (request, reply) => {
			const { reference, trxref } = request.query;
			const found = await findLocator(treasury.db, "reference", reference ?? trxref ?? "");
			if (found === undefined) throw paymentFailures.reference_unknown();
			await askForMost(treasury, found);
			return reply.redirect(await addressAfter(treasury, found), 303);
		},
	}),
];

/** The gateway's slowness does not hold up the payer, and its failure is found out later. */
async function askForMost(treasury: Treasury, { tenantId, objectId }: Located): Promise<void> {
	const asked = askNow(treasury, tenantId, objectId).catch((error: unknown) => {
		treasury.log.error({ err: error, attempt: objectId }, "a checkout was not verified at its redirect");
	});
	const ended = new AbortController();
	const late = wait(askedMaxMs, undefined, { signal: ended.signal }).catch(() => undefined);
	await Promise.race([asked, late]);
	ended.abort();
}

async function addressAfter(treasury: Treasury, { tenantId, objectId }: Located): Promise<string> {
	const intent = await inTenant(treasury.db, tenantId, async (tx) => {
		const attempt = await findAttempt(tx, objectId);
		return attempt && (await findIntent(tx, attempt.intentId));
	});
	if (intent === undefined) throw paymentFailures.reference_unknown();
	return intent.returnUrl === null ? payUrlOf(intent, treasury) : returnTo(intent.returnUrl, intent);
}
