import Type, { type Static } from "typebox";
import { Uuid } from "./shape.ts";
import { billingIntervals } from "./subscription.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });
const Interval = Type.Enum(billingIntervals, { type: "string" });

const Minor = Type.Integer({ description: "In the currency's lowest units" });
const AmountLine = Type.Object({
	what: Type.Enum(["plan", "add_on", "credit", "balance"], {
		type: "string",
		description: "credit: given back of what was paid; balance: taken from the tenant's credit, or put by",
	}),
	code: Type.String({ description: "Of the plan or the add-on it is for" }),
	amount_minor: Minor,
});

/** `GET /api/v1/tenants/{tenant_id}/subscription/payments`: what was asked for a plan and its add-ons, and what became of it. */
export const SubscriptionPayment = Type.Object({
	id: Uuid,
	kind: Type.Enum(["checkout", "change", "renewal"], { type: "string" }),
	status: Type.Enum(["requested", "paid", "credited", "refused", "withdrawn", "unanswered"], {
		type: "string",
		description:
			"requested: not answered yet; credited: paid when it could no longer be done, and kept as credit; unanswered: given up",
	}),
	plan: Type.String(),
	amount_minor: Minor,
	currency: Type.String(),
	lines: Type.Array(AmountLine),
	attempt: Type.Integer(),
	failure: OrNull(Type.String({ description: "Why the last attempt failed, as the treasury says" })),
	requested_at: DateTime,
	settled_at: OrNull(DateTime),
});
export type SubscriptionPayment = Static<typeof SubscriptionPayment>;

/** `GET …/subscription/billing`: what a tenant pays, until when it has paid, and what waits to be paid. */
export const SubscriptionBilling = Type.Object({
	version: Type.Integer(),
	plan: Type.String(),
	plan_version: Type.Integer(),
	price_minor: Minor,
	currency: Type.String(),
	interval: Interval,
	period_started_at: OrNull(DateTime),
	period_ends_at: OrNull(Type.String({ format: "date-time", description: "Paid until then" })),
	cancelled_at: OrNull(Type.String({ format: "date-time", description: "It is not renewed" })),
	next_period: Type.Object(
		{ plan: Type.String(), interval: Interval, amount_minor: Minor },
		{ description: "What the next period costs, with add-ons and before credit, if it is renewed" },
	),
	balance_minor: Type.Integer({ description: "Credit for what is paid next" }),
	open_payment_id: OrNull(Uuid),
});
export type SubscriptionBilling = Static<typeof SubscriptionBilling>;

/** What a tenant would lose by a change or a checkout; also with the refusal `acknowledgement_required`. */
const Loss = {
	features_lost: Type.Array(Type.String()),
	products_lost: Type.Array(Type.String()),
	limits_lowered: Type.Array(
		Type.Object({
			limit: Type.String(),
			from: Type.Integer({ description: "-1 is unlimited" }),
			to: Type.Integer(),
		}),
	),
	limits_exceeded: Type.Array(
		Type.Object({ limit: Type.String(), used: Type.Integer(), allowed: Type.Integer() }),
		{ description: "Passed already: nothing is deleted, only adding is refused" },
	),
};

/** `GET …/subscription/checkout?plan=`: what a checkout would ask for. */
export const SubscriptionCheckout = Type.Object({
	plan: Type.String(),
	plan_version: Type.Integer(),
	add_ons: Type.Array(Type.String(), { description: "Those the tenant keeps" }),
	interval: Interval,
	currency: Type.String(),
	balance_minor: Type.Integer({ description: "Taken from the tenant's credit" }),
	amount_minor: Type.Integer({ description: "What is to be paid" }),
	lines: Type.Array(AmountLine),
	starts_at: Type.String({ format: "date-time", description: "What is paid begins then" }),
	ends_at: DateTime,
	acknowledgement_required: Type.Boolean({ description: "An overdue tenant would have less than it has" }),
	...Loss,
});
export type SubscriptionCheckout = Static<typeof SubscriptionCheckout>;

/** `POST …/subscription/quote`: what a change now would come to. */
export const SubscriptionQuote = Type.Object({
	quote_id: Uuid,
	expires_at: DateTime,
	version: Type.Integer({
		description: "Of the subscription; once it is another, the quote is worth nothing",
	}),
	plan: Type.String(),
	plan_version: Type.Integer(),
	add_ons: Type.Array(Type.String(), { description: "All there are beside the plan then" }),
	direction: Type.Enum(["upgrade", "downgrade"], { type: "string" }),
	credit_minor: Minor,
	charge_minor: Minor,
	balance_minor: Type.Integer({ description: "Taken from the tenant's credit; negative: added to it" }),
	due_minor: Type.Integer({ description: "To be paid when it is changed now" }),
	currency: Type.String(),
	lines: Type.Array(AmountLine),
	period_ends_at: Type.String({
		format: "date-time",
		description: "Paid until then, when it is changed now",
	}),
	acknowledgement_required: Type.Boolean(),
	...Loss,
});
export type SubscriptionQuote = Static<typeof SubscriptionQuote>;

/** An item of `GET …/subscription/add-ons`. */
export const TenantAddOn = Type.Object({
	code: Type.String(),
	version: Type.Integer(),
	price_minor: Type.Integer({ description: "Price of one interval, in the currency's lowest units" }),
	currency: Type.String(),
	interval: Interval,
	starts_at: OrNull(Type.String({ format: "date-time", description: "To come; null: it is there" })),
	ends_at: OrNull(DateTime),
});
export type TenantAddOn = Static<typeof TenantAddOn>;

/** An item of `GET …/subscription/bills`: what was used beyond limits in a period. */
export const UsageBill = Type.Object({
	id: Type.String({ format: "uuid", description: "Also the operation the treasury is asked to collect" }),
	period_ends_at: DateTime,
	status: Type.Enum(["requested", "paid", "unpaid"], {
		type: "string",
		description: "unpaid: asked for the last time, and owed still",
	}),
	charge_minor: Type.Integer({ description: "The sum of the lines" }),
	balance_minor: Type.Integer({ description: "Taken from the tenant's credit" }),
	amount_minor: Type.Integer({ description: "What is to be paid" }),
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
