import { defineFailures } from "@lango/chassis";

/**
 * The failures of this service, besides those of every domain service. Codes are public: never rename one.
 */
export const failures = defineFailures({
	template_unknown: ["invalid_input", "There is no template with this path."],
	channel_unsupported: ["invalid_input", "The template has no content for this channel."],
	variable_missing: ["invalid_input", "A variable of the template is missing."],
	variable_invalid: ["invalid_input", "A variable of the template has the wrong kind."],
	address_invalid: ["invalid_input", "An address is not valid for the channel."],
	address_repeated: ["invalid_input", "An address occurs twice."],
	provider_unknown: ["invalid_input", "There is no provider with this name or id for the channel."],
	too_many_recipients: [
		"invalid_input",
		"The request has more recipients than the channel's limit allows at once.",
	],
	idempotency_key_reused: ["invalid_input", "This Idempotency-Key was used for another request."],
	channel_limited: ["rate_limited", "The limit of messages per minute on this channel is reached."],
	daily_limit_reached: ["rate_limited", "The limit of e-mails per day is reached."],
	message_not_found: ["not_found", "Message not found."],
	delivery_not_found: ["not_found", "Delivery not found."],
	delivery_not_final: [
		"conflict",
		"The delivery is still open, or it arrived. Only a delivery that ended without arriving can be sent again.",
	],
	may_duplicate_required: [
		"conflict",
		"The outcome of the delivery is unknown. Send it again with may_duplicate: true if it may arrive twice.",
	],
	data_gone: ["conflict", "The address or the variables were deleted after the retention period."],
});
