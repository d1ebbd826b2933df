import { oauthFailures } from "../failures.ts";

export const formType = "application/x-www-form-urlencoded";
type Headed = { headers: { "content-type"?: string | undefined } };

const mediaType = /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/;

/**
 * Refuses a body that is not a form (RFC 6749 §3.2, RFC 7009 §2.1, RFC 7662 §2.1) before it is parsed. Throws
 * `invalid_request` naming the content type that was sent.
 */
export async function requireForm({ headers }: Headed): Promise<void> {
	const sent = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
	if (sent === formType) return;
	const found = sent === undefined ? "is missing" : mediaType.test(sent) ? `is ${sent}` : "cannot be read";
	throw oauthFailures.invalid_request({
		message: `The Content-Type must be ${formType}; it ${found}.`,
	});
}
