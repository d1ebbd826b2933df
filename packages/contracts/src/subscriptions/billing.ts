import Type, { type Static } from "typebox";
import { Uuid } from "../values/shape.ts";
import { billingIntervals } from "./subscription.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });
const Interval = Type.Enum(billingIntervals, { type: "string" });

const Minor = Type.Integer({ description: "In the currency's minor units" });
const AmountLine = Type.Object({
	what: Type.Enum(["plan", "add_on", "credit", "balance"], {
		type: "string",
		description:
			"credit: a refund of an earlier payment; balance: taken from or added to the tenant's credit",
	}),
	code: Type.String({ description: "Code of the plan or the add-on" }),
	amount_minor: Minor,
});

/**
 * `GET /api/v1/tenants/{tenant_id}/subscription/payments`: the payments for a plan and its add-ons, with
 * their outcome.
 */
export const SubscriptionPayment = Type.Object({
	id: Uuid,
	kind: Type.Enum(["checkout", "change", "renewal"], { type: "string" }),
	status: Type.Enum(["requested", "paid", "credited", "refused", "withdrawn", "unanswered"], {
		type: "string",
		description:
			"requested: no response yet; credited: paid too late to take effect, kept as credit; unanswered: no response in time",
	}),
	plan: Type.String(),
	amount_minor: Minor,
	currency: Type.String(),
	lines: Type.Array(AmountLine),
	attempt: Type.Integer(),
	failure: OrNull(Type.String({ description: "Why the last attempt failed, from the treasury" })),
	requested_at: DateTime,
	settled_at: OrNull(DateTime),
});
export type SubscriptionPayment = Static<typeof SubscriptionPayment>;

/** `GET …/subscription/billing`: what a tenant pays, the end of the paid period, and pending payments. */
export const SubscriptionBilling = Type.Object({
	version: Type.Integer(),
	plan: Type.String(),
	plan_version: Type.Integer(),
	price_minor: Minor,
	currency: Type.String(),
	interval: Interval,
	period_started_at: OrNull(DateTime),
	period_ends_at: OrNull(Type.String({ format: "date-time", description: "End of the paid period" })),
	cancelled_at: OrNull(
		Type.String({ format: "date-time", description: "When it was cancelled; it is not renewed" }),
	),
	next_period: Type.Object(
		{ plan: Type.String(), interval: Interval, amount_minor: Minor },
		{ description: "Price of the next period with add-ons and before credit, if it is renewed" },
	),
	balance_minor: Type.Integer({ description: "Credit for the next payment" }),
	open_payment_id: OrNull(Uuid),
});
export type SubscriptionBilling = Static<typeof SubscriptionBilling>;

/** What a tenant loses by a change or a checkout. Also part of the error `acknowledgement_required`. */
const Loss = {
	features_lost: Type.Array(Type.String()),
	products_lost: Type.Array(Type.String()),
	limits_lowered: Type.Array(
		Type.Object({
			limit: Type.String(),
			from: Type.Integer({ description: "-1: unlimited" }),
			to: Type.Integer(),
		}),
	),
	limits_exceeded: Type.Array(
		Type.Object({ limit: Type.String(), used: Type.Integer(), allowed: Type.Integer() }),
		{ description: "Limits that are exceeded already: nothing is deleted, but nothing can be added" },
	),
};

/** `GET …/subscription/checkout?plan=`: the terms of a checkout. */
export const SubscriptionCheckout = Type.Object({
	plan: Type.String(),
	plan_version: Type.Integer(),
	add_ons: Type.Array(Type.String(), { description: "Add-ons that the tenant keeps" }),
	interval: Interval,
	currency: Type.String(),
	balance_minor: Type.Integer({ description: "Taken from the tenant's credit" }),
	amount_minor: Type.Integer({ description: "Amount due" }),
	lines: Type.Array(AmountLine),
	starts_at: Type.String({ format: "date-time", description: "Start of the paid period" }),
	ends_at: DateTime,
	acknowledgement_required: Type.Boolean({ description: "Whether an overdue tenant would lose something" }),
	...Loss,
});
export type SubscriptionCheckout = Static<typeof SubscriptionCheckout>;

/** `POST …/subscription/quote`: the price of a change that takes effect now. */
export const SubscriptionQuote = Type.Object({
	quote_id: Uuid,
	expires_at: DateTime,
	version: Type.Integer({
		description: "Version of the subscription; the quote becomes invalid when it changes",
	}),
	plan: Type.String(),
	plan_version: Type.Integer(),
	add_ons: Type.Array(Type.String(), { description: "All add-ons after the change" }),
	direction: Type.Enum(["upgrade", "downgrade"], { type: "string" }),
	credit_minor: Minor,
	charge_minor: Minor,
	balance_minor: Type.Integer({ description: "Taken from the tenant's credit; negative: added to it" }),
	due_minor: Type.Integer({ description: "Amount due for a change now" }),
	currency: Type.String(),
	lines: Type.Array(AmountLine),
	period_ends_at: Type.String({
		format: "date-time",
		description: "End of the paid period after a change now",
	}),
	acknowledgement_required: Type.Boolean(),
	...Loss,
});
export type SubscriptionQuote = Static<typeof SubscriptionQuote>;

/** An item of `GET …/subscription/add-ons`. */
export const TenantAddOn = Type.Object({
	code: Type.String(),
	version: Type.Integer(),
	price_minor: Type.Integer({ description: "Price of one interval, in the currency's minor units" }),
	currency: Type.String(),
	interval: Interval,
	starts_at: OrNull(
		Type.String({ format: "date-time", description: "Future start; null if it has started" }),
	),
	ends_at: OrNull(DateTime),
});
export type TenantAddOn = Static<typeof TenantAddOn>;

/** An item of `GET …/subscription/bills`: the usage beyond limits in a period. */
export const UsageBill = Type.Object({
	id: Type.String({ format: "uuid", description: "Also the id of the payment operation" }),
	period_ends_at: DateTime,
	status: Type.Enum(["requested", "paid", "unpaid"], {
		type: "string",
		description: "unpaid: the last attempt failed, and the amount is still owed",
	}),
	charge_minor: Type.Integer({ description: "The sum of the lines" }),
	balance_minor: Type.Integer({ description: "Taken from the tenant's credit" }),
	amount_minor: Type.Integer({ description: "Amount due" }),
	currency: Type.String(),
	lines: Type.Array(
		Type.Object({
			metric: Type.String(),
			units: Type.Integer(),
			unit_price_minor: Minor,
			amount_minor: Minor,
		}),
	),
	attempt: Type.Integer(),
	next_attempt_at: OrNull(DateTime),
	failure: OrNull(Type.String({ description: "Why the last attempt failed" })),
	billed_at: DateTime,
	settled_at: OrNull(DateTime),
});
export type UsageBill = Static<typeof UsageBill>;
