import { defineFailures } from "@lango/chassis";

/** The failures of reconciliation. Codes are public: never rename one. */
export const reconciliationFailures = defineFailures({
	exception_not_found: ["not_found", "Exception not found."],
	exception_closed: ["conflict", "The exception was resolved before."],
	nothing_proposed: ["conflict", "No journal is proposed for this exception. Waive it, or name receipts."],
	receipts_differ: [
		"conflict",
		"The receipts do not explain the amount: they must come to it, in its currency, and not be settled.",
	],
	line_matched: ["conflict", "The charge was matched with its receipt meanwhile. Waive the exception."],
	balance_changed: [
		"conflict",
		"The account changed, its balance differs by another amount, or money is in flight. Reject the adjustment, or try again later.",
	],
	charge_unsettled: [
		"conflict",
		"No settlement paid out this charge, and it is pending until then. Wait, or post the proposed journal.",
	],
	settlement_not_found: ["not_found", "Settlement not found."],
});
