import { defineFailures } from "@lango/chassis";

/** The failures of card subscriptions. Codes are public: never rename one. */
export const cardSubscriptionFailures = defineFailures({
	card_plan_not_found: ["not_found", "There is no such card plan, or the gateway has not made it."],
	authorization_missing: ["conflict", "There is no such card that paid here and can be charged again."],
	card_expired: ["conflict", "The card has expired. Choose another one."],
	card_subscription_not_found: ["not_found", "There is no such card subscription."],
	card_subscription_exists: ["conflict", "The payer has a card subscription of this plan."],
	card_subscription_closed: ["conflict", "The card subscription is over, or is stopped already."],
	card_subscription_running: ["conflict", "The card subscription is not stopped."],
	card_subscription_pending: [
		"conflict",
		"The gateway has not said its token yet, without which it cannot be changed. Its next event brings it.",
	],
});
