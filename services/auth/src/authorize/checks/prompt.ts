import { oauthFailures } from "../../failures.ts";
import { type Parameters, parameter } from "../request.ts";

/** What the client asks of the sign-in itself. */
export type SignInWish = {
	/** Nothing may be shown: whoever is not signed in is told so. */
	isSilent: boolean;
	/** The person signs in anew, whoever is signed in. */
	isAnew: boolean;
	/** The sign-in may be no older than this. */
	maxAgeSeconds: number | undefined;
};

const known = new Set(["none", "login", "select_account", "consent"]);

/**
 * OpenID Connect Core §3.1.2.1, `prompt` and `max_age`. Choosing another person is signing in anew. Consent is given by
 * the tenant that uses the front end, so there is nothing to ask for.
 */
export function checkPrompt(parameters: Parameters): SignInWish {
	const prompts = (parameter(parameters, "prompt") ?? "").split(" ").filter((word) => known.has(word));
	if (prompts.includes("none") && prompts.length > 1)
		throw oauthFailures.invalid_request({ message: "prompt=none goes with no other prompt." });
	const maxAge = parameter(parameters, "max_age");
	if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
		throw oauthFailures.invalid_request({ message: "max_age is a whole number of seconds." });
	return {
		isSilent: prompts.includes("none"),
		isAnew: prompts.includes("login") || prompts.includes("select_account"),
		maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
	};
}
