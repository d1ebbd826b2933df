import { defineFailures } from "@lango/chassis";

/** The failures of gateways and their configuration. Codes are public: never rename one. */
export const gatewayFailures = defineFailures({
	gateway_refused: ["conflict", "The gateway refused the request."],
	gateway_unavailable: ["unavailable", "The gateway cannot be reached or did not answer. Try again shortly."],
	channel_unavailable: ["conflict", "This channel is not set up."],
	shortcode_unverified: [
		"conflict",
		"The shortcode is not verified yet. Ask for its balance with the password of its initiator.",
	],
	shortcode_taken: ["conflict", "Another tenant has this shortcode."],
	paybill_required: [
		"conflict",
		"The platform's shortcode must be a paybill. Payments to a till do not name the bill that they pay.",
	],
	url_refused: ["invalid_input", "The address of a gateway must be https and public."],
	certificate_invalid: ["invalid_input", "The certificate is not a PEM certificate or public key of RSA."],
	last_credential: ["conflict", "This is the credential for calls. Rotate it before you retire it."],
	credential_not_found: ["not_found", "There is no credential with this id that is being retired."],
	frequency_unconfirmed: ["conflict", "The operator has not confirmed the codes of frequencies yet."],
});
