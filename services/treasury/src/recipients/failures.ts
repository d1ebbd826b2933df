import { defineFailures } from "@lango/chassis";

/** The failures of recipients. Codes are public: never rename one. */
export const recipientFailures = defineFailures({
	recipient_not_found: ["not_found", "Recipient not found."],
	recipient_in_use: [
		"conflict",
		"Payouts go to this recipient. Choose another one in the payout settings, and wait until its payouts have ended.",
	],
	recipients_full: ["conflict", "The limit of recipients per tenant is reached. Remove one first."],
});
