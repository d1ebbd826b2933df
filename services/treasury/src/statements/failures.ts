import { defineFailures } from "@lango/chassis";

/** The failures of statements. */
export const statementFailures = defineFailures({
	range_too_long: ["invalid_input", "The statement is too long: shorten its range of days."],
});
