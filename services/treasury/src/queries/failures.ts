import { defineFailures } from "@lango/chassis";

/** The failures of questions to the gateway. Codes are public: never rename one. */
export const queryFailures = defineFailures({
	query_not_found: ["not_found", "There is no such question to the gateway."],
});
