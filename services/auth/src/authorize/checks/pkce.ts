import type { Client } from "../../clients/client.ts";
import { oauthFailures } from "../../failures.ts";
import { type Parameters, parameter } from "../request.ts";

const challengeForm = /^[A-Za-z0-9_-]{43}$/;

/** RFC 7636 §4.3, RFC 9700 §2.1.1: a challenge, by S256 and nothing else, unless the client is confidential and exempt. */
export function checkPkce(client: Client, parameters: Parameters): string | undefined {
	const challenge = parameter(parameters, "code_challenge");
	const method = parameter(parameters, "code_challenge_method");
	if (challenge === undefined) {
		if (client.isPkceRequired || method !== undefined)
			throw oauthFailures.invalid_request({ message: "code_challenge is missing: this client uses PKCE." });
		return undefined;
	}
	if (method !== "S256") throw oauthFailures.invalid_request({ message: "code_challenge_method is S256." });
	if (!challengeForm.test(challenge))
		throw oauthFailures.invalid_request({
			message: "code_challenge is the base64url of a SHA-256: 43 characters.",
		});
	return challenge;
}
