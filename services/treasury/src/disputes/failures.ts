import { defineFailures } from "@lango/chassis";

/** The failures of disputes. Codes are public: never rename one. */
export const disputeFailures = defineFailures({
	dispute_not_found: ["not_found", "There is no such dispute."],
});
