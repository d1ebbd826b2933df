import {
	actorOf,
	callerOf,
	originOf,
	ownerOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { Email, FailureBody, Line, Name, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { AmountMinor, Currency, readDecimal } from "../money/amount.ts";
import { describeIntents } from "../payments/describe-intents.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findIntent, listIntents, type StoredIntent } from "../payments/intent.store.ts";
import { intentChannels } from "../payments/intent.ts";
import { IntentStatusWire, IntentWire } from "../payments/intent-wire.ts";
import type { Treasury } from "../treasury.ts";
import { cancelIntent } from "./cancel-intent.ts";
import { createIntent } from "./create-intent.ts";
import { refreshIntent } from "./refresh-intent.ts";

const tags = ["intents"];
const ofTheTenant = { outlets: tenantWide("payments are the tenant's") };
const DateTime = Type.String({ format: "date-time" });

const IntentBody = Shape({
	amount_minor: AmountMinor,
	currency: Currency,
	description: Name(200),
	operation_id: Type.Optional(Type.String({ format: "uuid", description: "Your id of what is paid" })),
	source_service: Type.Optional(
		Type.String({
			// The services that the platform is paid for: an event in their name is a paid bill.
			pattern: "^(?!(subscriptions|notifications)$)[a-z][a-z0-9_-]*$",
			maxLength: 40,
			"x-error": "must be the name of a service that the platform is not paid for",
			description: "The service that asks, treasury by default",
		}),
	),
	order_id: Type.Optional(Name(100)),
	channels: Type.Optional(
		Type.Array(Type.Enum([...intentChannels], { type: "string" }), {
			...{ minItems: 1, maxItems: intentChannels.length, uniqueItems: true },
			description: "By default every channel that is set up and can take the amount",
		}),
	),
	customer: Type.Optional(
		Shape({
			user_id: Type.Optional(Uuid),
			email: Type.Optional(Email),
			phone: Type.Optional(Type.String({ minLength: 9, maxLength: 20 })),
			name: Type.Optional(Name(120)),
		}),
	),
	expires_at: Type.Optional(
		Type.String({ format: "date-time", description: "In 24 hours by default, in 400 days at most" }),
	),
	return_url: Type.Optional(
		Type.String({
			...{ pattern: "^https?://[!-~]+$", maxLength: 500 },
			description: "Where the payer's browser goes after the hosted page: an address of a known front end",
		}),
	),
	metadata: Type.Optional(
		Type.Record(
			Type.String({ pattern: "^[A-Za-z0-9_.-]{1,50}$" }),
			Type.Union([Line(500), Type.Number(), Type.Boolean()]),
			{ maxProperties: 20 },
		),
	),
});

const Params = Type.Object({ tenant: Type.String(), id: Uuid });

/** The routes of what is paid to a tenant for its own trade: its intents with the payee tenant. */
export const intentRoutes = (domain: Treasury): readonly Route[] => [
	creating(domain),
	listing(domain),
	showing(domain),
	refreshing(domain),
	cancelling(domain),
];

/** Returns an intent of the tenant's own trade that the caller may see. Throws `intent_not_found`. */
export async function requireIntent(
	{ db }: Treasury,
	request: Parameters<typeof ownerOf>[0],
	id: string,
): Promise<StoredIntent> {
	const customerUserId = ownerOf(request)?.userId;
	const found = await inTenant(db, tenantOf(request).id, (tx) => findIntent(tx, id));
	const isSeen = customerUserId === undefined || found?.customerUserId === customerUserId;
	if (found?.payee !== "tenant" || !isSeen) throw paymentFailures.intent_not_found();
	return found;
}

/** Reads an intent again, and writes it with its attempts and payments. */
async function showIntent(domain: Treasury, { tenantId, id }: { tenantId: string; id: string }) {
	return inTenant(domain.db, tenantId, async (tx) => {
		const found = await findIntent(tx, id);
		const [shown] = await describeIntents(tx, found === undefined ? [] : [found], domain);
		if (shown === undefined) throw paymentFailures.intent_not_found();
		return shown;
	});
}

const creating = (domain: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.payments.add"),
		method: "POST",
		url: "/intents",
		schema: {
			summary: "Asks for a payment to the tenant",
			description:
				"A known operation_id of the same source_service, or the same Idempotency-Key by the same caller, returns the intent as it is now (200); another request under it is refused. Mobile money takes whole units only: without channels, a prompt is left out where it cannot ask for the amount.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Chosen by the caller" }),
				),
			}),
			body: IntentBody,
			response: { 200: IntentWire, 201: IntentWire, 409: FailureBody },
		},
		handler: async (request, reply) => {
			const tenantId = tenantOf(request).id;
			const { intent, isNew } = await createIntent(domain, {
				...{ tenantId, request: request.body, createdBy: actorOf(callerOf(request)) },
				idempotencyKey: request.headers["idempotency-key"],
			});
			return reply.code(isNew ? 201 : 200).send(await showIntent(domain, { tenantId, id: intent.id }));
		},
	});

const listing = (domain: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.payments.view"),
		own: true,
		method: "GET",
		url: "/intents",
		schema: {
			summary:
				"Lists what is paid to the tenant, the newest first; with treasury.payments.view_own only what the caller pays",
			tags,
			querystring: Type.Object({
				status: Type.Optional(IntentStatusWire),
				operation_id: Type.Optional(Uuid),
				order_id: Type.Optional(Name(100)),
				currency: Type.Optional(Currency),
				is_due: Type.Optional(
					Type.Boolean({
						description: "Only what is not paid in full, also if it has expired or was cancelled",
					}),
				),
				q: Type.Optional(
					Type.String({
						...{ minLength: 1, maxLength: 100 },
						description:
							"A part of the account code, the order or the description; with a currency also the amount that is asked for or still due, such as 1500.50",
					}),
				),
				from: Type.Optional(DateTime),
				to: Type.Optional(Type.String({ format: "date-time", description: "Created before this time" })),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(IntentWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted, from, to, status, q, currency, ...named } = request.query;
			const query = {
				...{ payee: "tenant" as const, status, orderId: named.order_id, operationId: named.operation_id },
				...{ currency, isDue: named.is_due, search: readSearch(q, currency) },
				from: from === undefined ? undefined : new Date(from),
				to: to === undefined ? undefined : new Date(to),
				...{ customerUserId: ownerOf(request)?.userId },
				...{ after: readKey(cursor, uuidForm), limit: limit + 1 },
			};
			const { rows, ...total } = await inTenant(domain.db, tenantOf(request).id, async (tx) => ({
				rows: await describeIntents(tx, await listIntents(tx, query), domain),
				...(await totalOf(tx, isCounted, (all, page) => listIntents(all, { ...query, ...page }))),
			}));
			return { ...pageBy(rows, { limit, toWire: (intent) => intent, keyOf: ({ id }) => id }), ...total };
		},
	});

function readSearch(text: string | undefined, currency: string | undefined) {
	if (text === undefined) return undefined;
	return { text, amountMinor: currency === undefined ? undefined : readDecimal(text, currency) };
}

const showing = (domain: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.payments.view"),
		own: true,
		method: "GET",
		url: "/intents/:id",
		schema: {
			summary: "Returns an intent with its attempts and payments",
			tags,
			params: Params,
			response: { 200: IntentWire },
		},
		handler: async (request) => {
			const { tenantId, id } = await requireIntent(domain, request, request.params.id);
			return showIntent(domain, { tenantId, id });
		},
	});

const refreshing = (domain: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.payments.change"),
		own: true,
		method: "POST",
		url: "/intents/:id/refresh",
		schema: {
			summary: "Asks the gateway what became of an intent's attempts, and returns the intent",
			description:
				"For a person who waits. The gateway is asked every five seconds at most; in between the intent is returned as it is.",
			tags,
			params: Params,
			response: { 200: IntentWire, 409: FailureBody },
		},
		handler: async (request) => {
			const intent = await requireIntent(domain, request, request.params.id);
			await refreshIntent(domain, intent);
			return showIntent(domain, intent);
		},
	});

const cancelling = (domain: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.payments.manage"),
		method: "POST",
		url: "/intents/:id/cancel",
		schema: {
			summary: "Cancels an intent that is not paid",
			description:
				"What it received stays with the tenant. Money that comes later is still counted. While a payer is being asked, the gateway is asked first: attempt_live until that has ended.",
			tags,
			params: Params,
			response: { 200: IntentWire, 409: FailureBody },
		},
		handler: async (request) => {
			const tenantId = tenantOf(request).id;
			const { id } = request.params;
			const by = { actor: actorOf(callerOf(request)), ...originOf(request) };
			await cancelIntent(domain, { tenantId, intentId: id, by });
			return showIntent(domain, { tenantId, id });
		},
	});
