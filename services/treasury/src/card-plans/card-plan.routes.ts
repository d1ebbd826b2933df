import {
	actorOf,
	callerOf,
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
import { FailureBody, Name, Page, PageQuery, Shape, TotalQuery } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { AmountMinor, Currency } from "../money/amount.ts";
import { FrequencyWire } from "../standing-orders/standing-order-wire.ts";
import type { Treasury } from "../treasury.ts";
import { listPlans } from "./card-plan.store.ts";
import { CardPlanWire, toCardPlanWire } from "./card-plan-wire.ts";
import { createCardPlan } from "./create-card-plan.ts";

const tags = ["card plans"];
const ofTheTenant = { outlets: tenantWide("card plans are the tenant's") };

/** The routes of the plans by which a tenant charges cards for its own trade. */
export const cardPlanRoutes = (domain: Treasury): readonly Route[] => [
	route({
		...ofTheTenant,
		access: permit("treasury.card_plans.add"),
		method: "POST",
		url: "/plans",
		schema: {
			summary: "Makes a plan by which cards are charged at an interval",
			description:
				"With an Idempotency-Key, a known one returns its plan with 200. A plan alone charges nothing: card subscriptions do.",
			tags,
			headers: Type.Object({
				"idempotency-key": Type.Optional(
					Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$", description: "Chosen by the caller" }),
				),
			}),
			body: Shape({
				name: Name(100),
				interval: FrequencyWire,
				amount_minor: AmountMinor,
				currency: Currency,
			}),
			response: { 200: CardPlanWire, 201: CardPlanWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request, reply) => {
			const { plan, isNew } = await createCardPlan(domain, {
				...{ tenantId: tenantOf(request).id, payee: "tenant", request: request.body },
				...{ createdBy: actorOf(callerOf(request)), idempotencyKey: request.headers["idempotency-key"] },
			});
			return reply.code(isNew ? 201 : 200).send(toCardPlanWire(plan));
		},
	}),
	route({
		...ofTheTenant,
		access: permit("treasury.card_plans.view"),
		method: "GET",
		url: "/plans",
		schema: {
			summary: "Lists card plans, the newest first",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(CardPlanWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const query = { after: readKey(cursor, uuidForm), limit: limit + 1 };
			return inTenant(domain.db, tenantOf(request).id, async (tx) => ({
				...pageBy(await listPlans(tx, query), { limit, toWire: toCardPlanWire, keyOf: ({ id }) => id }),
				...(await totalOf(tx, isCounted, (all, page) => listPlans(all, { ...query, ...page }))),
			}));
		},
	}),
];
