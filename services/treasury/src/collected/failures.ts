import { defineFailures } from "@lango/chassis";

/** The failures of payments and receipts. Codes are public: never rename one. */
export const collectedFailures = defineFailures({
	payment_not_found: ["not_found", "There is no such payment."],
	receipt_not_found: ["not_found", "There is no such receipt."],
});
