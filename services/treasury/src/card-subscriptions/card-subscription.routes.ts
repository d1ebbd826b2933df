import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
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
import { FailureBody, Page, PageQuery, Shape, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import type { Treasury } from "../treasury.ts";
import { findSubscription, listSubscriptions } from "./card-subscription.store.ts";
import {
	CardSubscriptionStatusWire,
	CardSubscriptionWire,
	toCardSubscriptionWire,
} from "./card-subscription-wire.ts";
import { createCardSubscription } from "./create-card-subscription.ts";
import { cardSubscriptionFailures } from "./failures.ts";
import { resumeSubscription, stopSubscription } from "./switch-subscription.ts";

const tags = ["card plans"];
const ofTheTenant = { outlets: tenantWide("card subscriptions are the tenant's") };
const Params = Type.Object({ tenant: Type.String(), id: Uuid });

/** The routes of the cards that are charged by a plan, for a tenant's own trade. */
export const cardSubscriptionRoutes = (domain: Treasury): readonly Route[] => [
	creating(domain),
	...reading(domain),
	switching(domain, {
		...{ url: "/card-subscriptions/:id/disable", action: "card_subscription.disabled" },
		summary: "Stops a card subscription: its card is not charged again",
		work: stopSubscription,
	}),
	switching(domain, {
		...{ url: "/card-subscriptions/:id/enable", action: "card_subscription.enabled" },
		summary: "Lets a stopped card subscription charge its card again",
		work: resumeSubscription,
	}),
];

const creating = (domain: Treasury): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.card_plans.add"),
		method: "POST",
		url: "/card-subscriptions",
		schema: {
			summary: "Charges a card by a plan: at once, and then at the interval of the plan",
			description:
				"Each charge makes a payment request of its own and pays it. With an Idempotency-Key, a known one returns its subscription with 200.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Chosen by the caller" }),
				),
			}),
			body: Shape({ plan_id: Uuid, authorization_id: Uuid }),
			response: {
				...{ 200: CardSubscriptionWire, 201: CardSubscriptionWire },
				...{ 404: FailureBody, 409: FailureBody, 503: FailureBody },
			},
		},
		handler: async (request, reply) => {
			const { subscription, isNew } = await createCardSubscription(domain, {
				...{ tenantId: tenantOf(request).id, payee: "tenant", request: request.body },
				...{ createdBy: actorOf(callerOf(request)), idempotencyKey: request.headers["idempotency-key"] },
			});
			return reply.code(isNew ? 201 : 200).send(toCardSubscriptionWire(subscription));
		},
	});

const reading = ({ db }: Treasury): Route[] => [
	route({
		...ofTheTenant,
		access: permit("treasury.card_plans.view"),
		method: "GET",
		url: "/card-subscriptions",
		schema: {
			summary: "Lists card subscriptions, the newest first",
			tags,
			querystring: Type.Object({
				status: Type.Optional(CardSubscriptionStatusWire),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(CardSubscriptionWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, status, total: isCounted } = request.query;
			const query = { status, after: readKey(cursor, uuidForm), limit: limit + 1 };
			return inTenant(db, tenantOf(request).id, async (tx) => {
				const rows = await listSubscriptions(tx, query);
				return {
					...pageBy(rows, { limit, toWire: toCardSubscriptionWire, keyOf: ({ id }) => id }),
					...(await totalOf(tx, isCounted, (all, page) => listSubscriptions(all, { ...query, ...page }))),
				};
			});
		},
	}),
	route({
		...ofTheTenant,
		access: permit("treasury.card_plans.view"),
		method: "GET",
		url: "/card-subscriptions/:id",
		schema: {
			summary: "Returns a card subscription",
			tags,
			params: Params,
			response: { 200: CardSubscriptionWire, 404: FailureBody },
		},
		handler: async (request) =>
			toCardSubscriptionWire(await getOwn(db, tenantOf(request).id, request.params.id)),
	}),
];

type Switch = {
	url: string;
	action: "card_subscription.disabled" | "card_subscription.enabled";
	summary: string;
	work: typeof stopSubscription;
};

const switching = (domain: Treasury, { url, action, summary, work }: Switch): Route =>
	route({
		...ofTheTenant,
		access: permit("treasury.card_plans.manage"),
		method: "POST",
		url,
		schema: {
			summary,
			tags,
			params: Params,
			response: { 200: CardSubscriptionWire, 404: FailureBody, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request) => {
			const { db, now } = domain;
			const { id: tenantId } = tenantOf(request);
			const changed = await work(domain, await getOwn(db, tenantId, request.params.id));
			await inTenant(db, tenantId, (tx) =>
				recordAudit(tx, {
					...{ tenantId, at: now(), actor: actorOf(callerOf(request)), ...originOf(request) },
					...{ action, subject: changed.id, detail: {} },
				}),
			);
			return toCardSubscriptionWire(changed);
		},
	});

/** Those of the tenant's bills belong to its billing method. */
async function getOwn(db: Treasury["db"], tenantId: string, id: string) {
	const found = await inTenant(db, tenantId, (tx) => findSubscription(tx, id));
	if (found?.payee !== "tenant") throw cardSubscriptionFailures.card_subscription_not_found();
	return found;
}
