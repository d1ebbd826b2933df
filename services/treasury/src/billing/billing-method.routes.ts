import { actorOf, callerOf, originOf, permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { FailureBody, Shape, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { listAuthorizations } from "../card-authorizations/card-authorization.store.ts";
import {
	CardAuthorizationWire,
	toCardAuthorizationWire,
} from "../card-authorizations/card-authorization-wire.ts";
import {
	CardSubscriptionWire,
	toCardSubscriptionWire,
} from "../card-subscriptions/card-subscription-wire.ts";
import { readPhone } from "../money/phone.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findOrder } from "../standing-orders/standing-order.store.ts";
import { isOpenOrder } from "../standing-orders/standing-order.ts";
import { StandingOrderWire, toStandingOrderWire } from "../standing-orders/standing-order-wire.ts";
import type { Treasury } from "../treasury.ts";
import { type BillingMethod, findBillingMethod } from "./methods/billing-method.store.ts";
import { changeBillingMethod } from "./methods/change-billing-method.ts";
import { findCardSubscription } from "./methods/follow-by-card.ts";
import { findLastFailure } from "./methods/last-failure.store.ts";

const tags = ["billing"];
const ofBills = {
	withoutProduct: { because: "every tenant pays the platform, also without the product treasury" },
	subscription: { exempt: "an expired tenant must be able to pay" },
	outlets: tenantWide("the tenant pays the platform as a whole"),
} as const;

const Kind = Type.Enum(["none", "push", "standing_order", "card_subscription"], {
	type: "string",
	description:
		"none: a person pays each bill; push: a phone is asked to pay; standing_order: the payer's wallet pays by itself; card_subscription: a card is charged",
});
const Email = Type.String({ format: "email", maxLength: 254 });
const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const BillingMethodWire = Type.Object({
	kind: Kind,
	phone: OrNull(Type.String()),
	email: OrNull(Type.String()),
	standing_order: OrNull(
		Type.Object({
			...StandingOrderWire.properties,
			needs_replacement: Type.Boolean({
				description: "The plan has another price or interval now: choose the method again",
			}),
		}),
	),
	collected_by: {
		...Kind,
		description:
			"push in place of standing_order: the order has failed, ended or was stopped, and the phone is asked",
	},
	card_subscription: OrNull(CardSubscriptionWire),
	last_failure: {
		...OrNull(
			Type.Object({
				code: Type.String({ description: "The gateway's code, or ours" }),
				at: Type.String({ format: "date-time" }),
			}),
		),
		description: "Why the last attempt to collect a renewal did not pay; null: it paid, or may still",
	},
	cards: Type.Array(CardAuthorizationWire, {
		description: "Cards that paid bills and can be charged again, the last used first",
	}),
	version: Type.Integer(),
});

/** The routes of how a tenant's renewals are collected. */
export const billingMethodRoutes = (domain: Treasury): readonly Route[] => [
	route({
		method: "GET",
		url: "/billing-method",
		access: permit("treasury.billing.view"),
		...ofBills,
		schema: {
			summary: "Returns how renewals of the tenant are collected",
			tags,
			response: { 200: BillingMethodWire },
		},
		handler: async (request) =>
			inTenant(domain.db, tenantOf(request).id, async (tx) =>
				describe(tx, await findBillingMethod(tx), domain.now()),
			),
	}),
	route({
		method: "PUT",
		url: "/billing-method",
		access: permit("treasury.billing.manage"),
		...ofBills,
		schema: {
			summary: "Changes how renewals of the tenant are collected",
			description:
				"With standing_order the payer is asked on the phone to consent to the price of the plan. The order of another phone or price is stopped here; the payer stops it on the phone. With card_subscription a card that paid a bill is charged when the paid period ends; a change of the plan replaces it.",
			tags,
			body: Shape({
				kind: Kind,
				phone: Type.Optional(Type.String({ minLength: 9, maxLength: 20 })),
				authorization_id: Type.Optional(Uuid),
				email: Type.Optional(Email),
			}),
			response: { 200: BillingMethodWire, 409: FailureBody, 503: FailureBody },
		},
		handler: async (request) => {
			const tenantId = tenantOf(request).id;
			const by = { actor: actorOf(callerOf(request)), ...originOf(request) };
			const method = readMethod(request.body);
			const { authorization_id: authorizationId } = request.body;
			const stored = await changeBillingMethod(domain, { tenantId, method, authorizationId, by });
			return inTenant(domain.db, tenantId, (tx) => describe(tx, stored, domain.now()));
		},
	}),
];

type Wanted = { kind: Static<typeof Kind>; phone?: string; email?: string };

async function describe(
	tx: Database,
	{ standingOrderId, cardSubscriptionId: _, ...method }: BillingMethod,
	now: Date,
) {
	const order = standingOrderId === null ? undefined : await findOrder(tx, standingOrderId);
	const shown = order && { ...toStandingOrderWire(order), needs_replacement: order.needsReplacement };
	const isByPhone = method.kind === "standing_order" && (order === undefined || !isOpenOrder(order));
	const collected_by = isByPhone ? ("push" as const) : method.kind;
	const subscription = await findCardSubscription(tx);
	const failure = await findLastFailure(tx);
	const cards = await listAuthorizations(tx, { payee: "platform", now });
	return {
		...{ ...method, collected_by, standing_order: shown ?? null },
		...{ cards: cards.map(toCardAuthorizationWire) },
		card_subscription: subscription === undefined ? null : toCardSubscriptionWire(subscription),
		last_failure: failure === undefined ? null : { code: failure.code, at: failure.at.toISOString() },
	};
}

const withPhone: ReadonlySet<string> = new Set(["push", "standing_order"]);

/** Throws `phone_invalid`. */
function readMethod({ kind, phone: typed, email }: Wanted): Pick<BillingMethod, "kind" | "phone" | "email"> {
	const phone = typed === undefined ? undefined : readPhone(typed);
	if (withPhone.has(kind) && phone === undefined)
		throw paymentFailures.phone_invalid({ fields: { field: "phone", in: "body" } });
	return { kind, phone: withPhone.has(kind) ? (phone ?? null) : null, email: email ?? null };
}
