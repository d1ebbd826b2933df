import { defineFailures } from "@lango/chassis";

/** The failures of the inbox. Codes are public: never rename one. */
export const inboxFailures = defineFailures({
	signature_invalid: [
		"unauthenticated",
		"The signature does not fit the body. It is the HMAC-SHA512 of the bytes, in lower-case hex.",
	],
	delivery_not_found: ["not_found", "There is no delivery with this id."],
	inbox_unavailable: ["unavailable", "The request could not be stored. Send it again later."],
});
