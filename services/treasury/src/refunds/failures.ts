import { defineFailures } from "@lango/chassis";

/** The failures of refunds. Codes are public: never rename one. */
export const refundFailures = defineFailures({
	refund_not_found: ["not_found", "There is no such refund."],
	refund_exceeds_payment: [
		"conflict",
		"Less than that is left of it: a part was returned, or is being returned.",
	],
	payment_disputed: [
		"conflict",
		"The payer disputes this payment. It is not refunded until that is decided.",
	],
	refund_channel_closed: [
		"conflict",
		"The gateway does not return this payment any more, and the phone of its payer is not known.",
	],
	reversal_too_late: [
		"conflict",
		"The gateway reverses a payment within 24 hours, and once. Ask for a refund of it instead.",
	],
	refund_not_waiting: ["conflict", "This refund does not wait for a decision."],
	resolver_is_proposer: ["forbidden", "Another operator has to say the same."],
	refund_running: ["conflict", "Another refund of this receipt is on its way. Wait until it has ended."],
	balance_insufficient: [
		"conflict",
		"The money was paid out already, and the balance does not cover the refund.",
	],
});
