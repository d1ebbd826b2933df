import { defineFailures } from "@lango/chassis";

/** The failures of receipts. Codes are public: never rename one. */
export const receiptFailures = defineFailures({
	receipt_not_found: ["not_found", "There is no such receipt."],
	receipt_unverified: ["conflict", "The gateway has not confirmed this receipt. Verify it first."],
	receipt_verified: ["conflict", "The gateway has confirmed this receipt already."],
	receipt_allocated: ["conflict", "This receipt is allocated already."],
	receipt_changed: [
		"conflict",
		"The receipt has changed since it was read: another amount is left of it. Read it again.",
	],
	receipt_duplicate: ["conflict", "The money of this receipt was counted twice. Clear that up first."],
	receipt_refunding: ["conflict", "A part of this receipt is being returned. Wait until that has ended."],
	currency_differs: ["conflict", "The receipt and the payment request have different currencies."],
	custody_differs: [
		"conflict",
		"The money is in another account than the one that this payment request collects to.",
	],
});
