import { defineFailures } from "@lango/chassis";

/** The failures of halts. Codes are public: never rename one. */
export const haltFailures = defineFailures({
	halted: ["unavailable", "The operator has stopped this for now. Nothing was sent. Try again later."],
});
