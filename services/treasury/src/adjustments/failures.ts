import { defineFailures } from "@lango/chassis";

/** The failures of adjustments. Codes are public: never rename one. */
export const adjustmentFailures = defineFailures({
	adjustment_not_found: ["not_found", "Adjustment not found."],
	adjustment_closed: ["conflict", "The adjustment was posted or rejected before."],
	adjustment_waiting: ["conflict", "An adjustment for this exception waits. Approve or reject it first."],
	approver_is_creator: ["forbidden", "Another person than the one who asked for it has to approve."],
	account_overdrawn: ["conflict", "An account would fall below 0. Nothing was posted."],
});
