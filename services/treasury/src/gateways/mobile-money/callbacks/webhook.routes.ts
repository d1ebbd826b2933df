import { open, type Route, route } from "@lango/chassis";
import { isUuid } from "@lango/postgres";
import Type from "typebox";
import { type CallbackRoute, callbackRoutes, hashCallbackToken } from "../../../inbox/callback-token.ts";
import { keepHeaders, type NewDelivery } from "../../../inbox/delivery.ts";
import { inboxFailures } from "../../../inbox/failures.ts";
import { objectKeyOf } from "../../../inbox/object-key.ts";
import type { Treasury } from "../../../treasury.ts";
import { keepPolicies, validatePayment } from "./validate-payment.ts";

const bodyBytesMax = 256 * 1024;
const tokenForm = /^[0-9a-f]{32}$/;
const segment = Type.String({ maxLength: 64 });
const tags = ["webhooks"];
const accepted = { ResultCode: 0 as const, ResultDesc: "Accepted" as const };

/** Each route with and without the profile and the token of a call. */
const addresses = [
	{ suffix: "", params: Type.Object({}) },
	{ suffix: "/:profile/:token", params: Type.Object({ profile: segment, token: segment }) },
];

const common = {
	method: "POST",
	access: open("the mobile-money gateway calls it; its token and what the gateway says when asked prove it"),
	bytes: "any",
	bodyLimit: bodyBytesMax,
	addressLimit: { exempt: "the gateway sends the callbacks of all tenants from few addresses" },
	secretPath: true,
} as const;

/** The webhooks of the mobile-money gateway (payments text §4.2). They answer all senders alike. */
export function mobileMoneyWebhookRoutes(treasury: Treasury): readonly Route[] {
	const policies = keepPolicies(treasury.now);
	return addresses.flatMap(({ suffix, params }) => [
		...callbackRoutes
			.filter((name) => name !== "validation")
			.map((name) =>
				route({
					...common,
					url: `/api/v1/webhooks/mobilemoney/${name}${suffix}`,
					schema: {
						summary: `Receives a callback of the mobile-money gateway: ${name}`,
						description: "It is stored before the answer, and applied soon after.",
						tags,
						params,
						response: {
							200: Type.Object({ ResultCode: Type.Literal(0), ResultDesc: Type.Literal("Accepted") }),
						},
					},
					handler: async (request) => {
						// It is sent once only: without the database it goes to the spool.
						await treasury.inbox.storeOrSpool(deliveryOf(treasury, name, request)).catch((cause) => {
							throw inboxFailures.inbox_unavailable({ cause });
						});
						return accepted;
					},
				}),
			),
		validating({ ...treasury, policies }, { suffix, params }),
	]);
}

type Validating = Treasury & { policies: ReturnType<typeof keepPolicies> };

const validating = (treasury: Validating, { suffix, params }: (typeof addresses)[number]): Route =>
	route({
		...common,
		url: `/api/v1/webhooks/mobilemoney/validation${suffix}`,
		schema: {
			summary: "Says whether a payment to a paybill or till is accepted",
			description: "Answers within a second. The money has not moved yet.",
			tags,
			params,
			response: {
				200: Type.Object({
					ResultCode: Type.String(),
					ResultDesc: Type.String(),
					ThirdPartyTransID: Type.Optional(Type.String()),
				}),
			},
		},
		handler: async (request) => {
			const delivery = deliveryOf(treasury, "validation", request);
			// Stored beside the answer, which does not wait for it.
			treasury.inbox
				.storeOrSpool(delivery)
				.catch((err) => treasury.log.error({ err }, "a validation was not stored"));
			return validatePayment(treasury, delivery.raw);
		},
	});

/** The parts of a request that are stored. */
type Received = {
	headers: Readonly<Record<string, string | string[] | undefined>>;
	body: unknown;
	params: unknown;
	ip: string;
};

function deliveryOf(
	{ now }: Treasury,
	name: CallbackRoute,
	{ headers, body, params, ip }: Received,
): NewDelivery {
	const { profile, token } = params as { profile?: string; token?: string };
	const delivery = {
		...({ gateway: "mobile_money", route: name } as const),
		profileId: profile !== undefined && isUuid(profile) ? profile.toLowerCase() : undefined,
		tokenHash: token !== undefined && tokenForm.test(token) ? hashCallbackToken(token) : undefined,
		...{ receivedAt: now(), remoteIp: ip, headers: keepHeaders(headers) },
		raw: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
	};
	return { ...delivery, objectKey: objectKeyOf(delivery) };
}
