import { defineFailures } from "@lango/chassis";

/** The failures of disputes. Codes are public: never rename one. */
export const disputeFailures = defineFailures({
	dispute_not_found: ["not_found", "There is no such dispute."],
	dispute_not_waiting: ["conflict", "The dispute is not overdue, or it is decided."],
});
