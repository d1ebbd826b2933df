import { defineFailures } from "@lango/chassis";

/** The errors of this service beside those of the chassis. Codes are public: never rename one. */
export const failures = defineFailures({
	no_subscription: ["not_found", "The tenant has no subscription."],
	plan_not_found: ["not_found", "Plan not found, or not on offer."],
	plan_version_not_found: ["not_found", "Plan version not found."],
	add_on_not_found: ["not_found", "Add-on not found."],
	add_on_version_not_found: ["not_found", "Add-on version not found."],
	quote_not_found: ["not_found", "Quote not found."],
	payment_not_found: ["not_found", "Payment not found."],
	no_pending_change: ["not_found", "No change is pending."],
	subscription_changed: ["conflict", "The subscription was changed by another request. Load it again."],
	quote_stale: ["conflict", "The subscription has changed since the quote. Request a new quote."],
	quote_expired: ["conflict", "The quote is older than 15 minutes. Request a new quote."],
	plan_unchanged: ["conflict", "The tenant already has this plan with these add-ons."],
	change_needs_quote: ["conflict", "A paid subscription can only be changed with a quote."],
	payment_overdue: [
		"conflict",
		"The last period is not paid. Pay for this plan or another one: POST …/subscription/checkout.",
	],
	nothing_to_pay: ["conflict", "Nothing is due now."],
	nothing_to_change: [
		"conflict",
		"Only a subscription with a running paid period can be changed this way. Pay or select a plan first.",
	],
	nothing_to_cancel: ["conflict", "Only a paid subscription that is not cancelled can be cancelled."],
	nothing_to_resume: ["conflict", "Only a cancelled subscription whose period still runs can be resumed."],
	currency_differs: ["conflict", "The plan or an add-on is priced in another currency."],
	acknowledgement_required: [
		"conflict",
		"The change loses features, products or limits. Send acknowledge: true to confirm.",
	],
	upgrade_needs_payment: [
		"conflict",
		"New features, products or higher limits must be paid first. Change with mode: now.",
	],
	platform_has_no_subscription: ["conflict", "The platform owner cannot have a subscription."],
	plan_exists: ["conflict", "A plan with this code or position already exists."],
	add_on_exists: ["conflict", "An add-on with this code already exists."],
	version_retired: ["conflict", "This version is already retired."],
	metric_unknown: ["invalid_input", "Metric not found."],
	limit_differs: ["invalid_input", "This limit does not apply to the metric."],
	consumption_differs: ["conflict", "This id was used for another consumption. Choose another id."],
	consumption_released: ["conflict", "The consumption of this id was released. Choose another id."],
	idempotency_key_reused: ["conflict", "This Idempotency-Key was used for another grant."],
	clock_goes_forward: ["conflict", "A tenant's clock can only be moved forward."],
});
