import { defineFailures } from "@lango/chassis";

/** The failures of intents and attempts. Codes are public: never rename one. */
export const paymentFailures = defineFailures({
	intent_not_found: ["not_found", "There is no such payment request."],
	payment_not_found: ["not_found", "There is no such payment."],
	idempotency_key_required: [
		"invalid_input",
		"Send an Idempotency-Key of your own: the same request again then changes nothing.",
	],
	idempotency_key_reused: ["conflict", "This Idempotency-Key was used for another request."],
	attempt_live: ["conflict", "A payer is being asked for this payment. Wait until that has ended."],
	intent_closed: ["conflict", "The payment request is paid, expired or cancelled."],
	operation_differs: ["conflict", "This operation was asked for before with other details."],
	amount_not_whole: [
		"invalid_input",
		"Mobile money takes whole units of the currency only. Ask for an amount without cents.",
	],
	amount_out_of_range: ["invalid_input", "The amount is more than the gateway takes in one payment."],
	phone_invalid: ["invalid_input", "This is not a Kenyan mobile number."],
	email_required: ["invalid_input", "The card gateway needs the e-mail address of the payer."],
	checkout_starting: ["conflict", "The checkout is being opened already. Try again in a few seconds."],
	reference_unknown: ["not_found", "There is no payment with this reference."],
	return_url_refused: [
		"invalid_input",
		"The return address is not one of a front end of this installation (HTTP_ALLOWED_ORIGINS).",
	],
	prompts_spent: ["conflict", "Too many phones were asked to pay this today. Try again tomorrow."],
	prompt_too_soon: [
		"conflict",
		"This phone was asked for the same amount a moment ago. The gateway takes it again after two minutes.",
	],
	prompt_live: ["conflict", "This phone is being asked to pay already. Wait until that prompt has ended."],
});
