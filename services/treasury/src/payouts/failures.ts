import { defineFailures } from "@lango/chassis";

/** The failures of payouts. Codes are public: never rename one. */
export const payoutFailures = defineFailures({
	payout_not_found: ["not_found", "There is no such payout."],
	payout_batch_not_found: ["not_found", "There is no such bulk request."],
	idempotency_key_required: ["invalid_input", "Send an Idempotency-Key, so that nothing is paid twice."],
	balance_insufficient: ["conflict", "There is not enough available for this payout."],
	recipient_missing: ["conflict", "Name a recipient, or choose one in the payout settings."],
	payout_below_minimum: ["conflict", "After fees the payout is below the minimum of the payout settings."],
	daily_limit_reached: ["conflict", "The limit of payouts per day is reached. Try again tomorrow."],
	amount_missing: ["invalid_input", "Each payout of a bulk request needs its amount."],
	custody_differs: [
		"conflict",
		"The platform's shortcode holds what tenants pay to the platform: no payout of a tenant comes from it.",
	],
	approver_is_creator: ["forbidden", "Another person has to approve a payout than the one who asked for it."],
	creator_unknown: [
		"forbidden",
		"It is not known which person asked for this payout. Reject it, and ask for it as a person.",
	],
	approver_not_a_person: ["forbidden", "Only a person can decide about a payout, and no program."],
	payout_not_waiting: ["conflict", "The payout does not wait for this any more."],
	payout_pending: ["conflict", "The gateway says that this payout has not ended. It has to decide."],
	verify_pending: ["conflict", "The gateway is being asked. Repeat the decision when it has answered."],
	payout_closed: ["conflict", "The payout does not wait for a one-time password."],
	tenant_suspended: [
		"conflict",
		"The tenant is suspended: nothing is paid out for it until it is active again.",
	],
	otp_refused: ["conflict", "The gateway refused the one-time password."],
	otp_expired: ["conflict", "The one-time password has expired. Ask for another one."],
});
