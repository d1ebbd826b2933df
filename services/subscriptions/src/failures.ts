import { defineFailures } from "@lango/chassis";

/** Everything this service refuses beside what the chassis does. Codes are public: never rename one. */
export const failures = defineFailures({
	no_subscription: ["not_found", "The tenant has no subscription."],
	plan_not_found: ["not_found", "There is no such plan on offer."],
	plan_version_not_found: ["not_found", "There is no such version of the plan."],
	add_on_not_found: ["not_found", "There is no such add-on."],
	add_on_version_not_found: ["not_found", "There is no such version of the add-on."],
	quote_not_found: ["not_found", "There is no such quote."],
	payment_not_found: ["not_found", "There is no such payment."],
	no_pending_change: ["not_found", "No change is waiting."],
	subscription_changed: ["conflict", "The subscription was changed meanwhile. Look at it again."],
	quote_stale: ["conflict", "The subscription was changed since the quote was made. Ask for another."],
	quote_expired: ["conflict", "The quote is older than 15 minutes. Ask for another."],
	plan_unchanged: ["conflict", "The tenant has this plan, with these add-ons."],
	change_needs_quote: ["conflict", "A subscription that runs is changed by a quote."],
	payment_overdue: [
		"conflict",
		"The period that ended is not paid yet. Pay for this plan or for another one: POST …/subscription/checkout.",
	],
	nothing_to_pay: ["conflict", "Nothing is to be paid now."],
	nothing_to_change: [
		"conflict",
		"Only a subscription that runs and is paid can be changed so. Pay or select a plan first.",
	],
	nothing_to_cancel: ["conflict", "Only a paid subscription can be cancelled, once."],
	nothing_to_resume: ["conflict", "Only a cancelled subscription whose period still runs can be resumed."],
	currency_differs: ["conflict", "The plan or an add-on has its price in another currency."],
	acknowledgement_required: [
		"conflict",
		"There would be less than there is now. Send acknowledge: true to take it all the same.",
	],
	upgrade_needs_payment: [
		"conflict",
		"What the tenant does not have yet comes once it is paid. Change with mode: now.",
	],
	platform_has_no_subscription: ["conflict", "The platform owner is no customer and has no subscription."],
	plan_exists: ["conflict", "There is a plan of this code, or at this place in the list."],
	add_on_exists: ["conflict", "There is an add-on of this code."],
	version_retired: ["conflict", "This version is retired already."],
	metric_unknown: ["invalid_input", "Nothing is counted under this name."],
	limit_differs: ["invalid_input", "The metric is not bounded by this limit."],
	consumption_differs: ["conflict", "This id has consumed something else. Choose another."],
	consumption_released: ["conflict", "What this id consumes was given back already. Choose another."],
	idempotency_key_reused: ["conflict", "This Idempotency-Key was used for another grant."],
	clock_goes_forward: ["conflict", "The clock of a tenant is only moved forward."],
});
