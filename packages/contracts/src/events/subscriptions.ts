import Type from "typebox";
import { Subscription } from "../subscriptions/subscription.ts";
import { Uuid } from "../values/shape.ts";
import { DateTime, event, OrNull, Version } from "./event.ts";

export const subscriptionEntitlementsChanged = event({
	type: "subscription.entitlements_changed",
	source: "/subscriptions",
	subject: "tenant",
	because: "a tenant's entitlements changed: gates and tokens apply them from now on (spec §6)",
	data: Subscription,
});

const Minor = Type.Integer({ description: "In the currency's minor units" });
const OfSubscription = { tenant_id: Uuid, plan: Type.String(), version: Version };

export const subscriptionTrialEnding = event({
	type: "subscription.trial_ending",
	source: "/subscriptions",
	subject: "tenant",
	because: "an unpaid trial ends in three days",
	data: Type.Object({ ...OfSubscription, trial_end: DateTime }),
});

export const subscriptionExpired = event({
	type: "subscription.expired",
	source: "/subscriptions",
	subject: "tenant",
	because: "a subscription expired, and its grace period began (spec §3)",
	data: Type.Object({
		...OfSubscription,
		because: Type.Enum(["trial_ended", "cancelled", "unpaid"], { type: "string" }),
		expired_at: DateTime,
		grace_until: DateTime,
	}),
});

export const subscriptionGraceEnded = event({
	type: "subscription.grace_ended",
	source: "/subscriptions",
	subject: "tenant",
	because: "the grace period ended: features are off, and the tenant is read-only (spec §3)",
	data: Type.Object({ ...OfSubscription, ended_at: DateTime }),
});

/**
 * A payment request. A retry has the same `operation_id` and a higher `attempt`, and is paid at most once.
 */
export const subscriptionBillingRequested = event({
	type: "subscription.billing.requested",
	source: "/subscriptions",
	subject: "operation",
	because:
		"a payment of a tenant is due: a first payment, a change of plan, a renewal or an overage (spec §6)",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		kind: Type.Enum(["checkout", "change", "renewal", "overage"], { type: "string" }),
		attempt: Type.Integer({ minimum: 1 }),
		amount_minor: Type.Integer({ minimum: 1, description: "Sum of the lines, in minor units" }),
		currency: Type.String(),
		lines: Type.Array(
			Type.Object({
				what: Type.Enum(["plan", "add_on", "credit", "balance", "overage"], { type: "string" }),
				code: Type.String({ description: "Code of the plan, the add-on or the metric" }),
				amount_minor: Minor,
			}),
		),
		expires_at: Type.Optional(
			Type.String({
				format: "date-time",
				description: "When the operation closes if it is not paid",
			}),
		),
	}),
});

/** A payment that arrives nevertheless completes nothing. */
export const subscriptionBillingWithdrawn = event({
	type: "subscription.billing.withdrawn",
	source: "/subscriptions",
	subject: "operation",
	because: "an operation whose payment was requested is closed without one: nothing is due for it any more",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		because: Type.Enum(
			[
				"replaced",
				"withdrawn",
				"cancelled",
				"change_scheduled",
				"plan_selected",
				"time_granted",
				"unanswered",
			],
			{ type: "string" },
		),
	}),
});

export const subscriptionOverageUnpaid = event({
	type: "subscription.overage_unpaid",
	source: "/subscriptions",
	subject: "operation",
	because: "the last attempt to collect the overage of a period failed; nothing else follows from it",
	data: Type.Object({
		operation_id: Uuid,
		tenant_id: Uuid,
		attempt: Type.Integer({ minimum: 1, description: "Number of payment attempts" }),
		amount_minor: Type.Integer({ minimum: 1, description: "Amount owed, in minor units" }),
		currency: Type.String(),
		period_ends_at: DateTime,
		failure: OrNull(
			Type.String({
				description: "Why the last attempt failed, from the treasury; null if unknown",
			}),
		),
	}),
});

export const subscriptionLimitWarning = event({
	type: "subscription.limit_warning",
	source: "/subscriptions",
	subject: "tenant",
	because: "a tenant has used 80 % or all of a limit; published once per period for each of the two",
	data: Type.Object({
		tenant_id: Uuid,
		metric: Type.String(),
		limit: Type.String(),
		limit_value: Type.Integer(),
		used: Type.Integer(),
		percent: Type.Enum([80, 100], { type: "integer" }),
		window: Type.String({ description: "The day or the period of the usage" }),
	}),
});
