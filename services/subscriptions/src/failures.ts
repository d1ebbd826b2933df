import { defineFailures } from "@lango/chassis";

/** Everything this service refuses beside what the chassis does. Codes are public: never rename one. */
export const failures = defineFailures({
	no_subscription: ["not_found", "The tenant has no subscription."],
});
