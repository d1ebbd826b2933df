import { chassisFailures } from "@lango/chassis";
import type { AccessTokenClaims } from "@lango/contracts";
import { TokenRefused, type Verifier } from "@lango/tokens";
import { oauthFailures } from "../failures.ts";

/** The places where a request can present its access token. */
export type Presented = {
	/** The Authorization header, and the bearer token in it. */
	authorization: string | undefined;
	bearer: string | undefined;
	form: unknown;
	query: unknown;
};

/**
 * The claims of the access token that a request presents, in the header (RFC 6750 §2.1) or in a form
 * (§2.2). A token in the address is never accepted. Throws `invalid_request` when it is presented in more
 * than one way (§2), and `token_invalid` when it is missing or refused.
 */
export async function verifyPresented(
	{ authorization, bearer, form, query }: Presented,
	verifier: Verifier,
): Promise<AccessTokenClaims> {
	const inForm = memberOf(form);
	const ways = [authorization, inForm, memberOf(query)].filter((way) => way !== undefined);
	if (ways.length > 1 || Array.isArray(inForm))
		throw oauthFailures.invalid_request({
			message: "The access token must be sent once: in the Authorization header or in the form.",
			headers: { "www-authenticate": 'Bearer error="invalid_request"' },
		});
	const token = bearer ?? inForm;
	if (typeof token !== "string") throw missing();
	try {
		return await verifier.verify(token);
	} catch (error) {
		if (!(error instanceof TokenRefused)) throw error;
		throw chassisFailures.token_invalid({
			message: `The access token is invalid or expired. ${credential}`,
			cause: error,
		});
	}
}

const memberOf = (members: unknown): unknown =>
	(members as { access_token?: unknown } | null | undefined)?.access_token;

const credential =
	"This route needs an access token: Authorization: Bearer <token>, or access_token in a form by POST.";

const missing = () =>
	chassisFailures.token_invalid({
		message: `The request has no access token. ${credential}`,
		headers: { "www-authenticate": 'Bearer realm="lango"' },
	});
