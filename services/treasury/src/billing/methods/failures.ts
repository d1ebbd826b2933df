import { defineFailures } from "@lango/chassis";

/** The failures of billing methods. Codes are public: never rename one. */
export const billingFailures = defineFailures({
	nothing_to_collect: ["conflict", "The subscription is not renewed, or costs nothing."],
	billing_method_changed: [
		"conflict",
		"The billing method was changed at the same time, or the payer has refused. Look at it, and try again.",
	],
	subscription_unavailable: [
		"unavailable",
		"The subscription service did not answer. Try again in a few seconds.",
	],
});
