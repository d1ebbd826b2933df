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

/** The values of `prompt` that discovery advertises. */
export const promptsSupported = ["none", "login", "select_account"] as const;

/**
 * OpenID Connect Core §3.1.2.1, `prompt` and `max_age`. `select_account` asks for a new sign-in. `consent` and unknown
 * values have no effect: the administrator who registered the client has consented (§3.1.2.4), and there is no page to
 * show. Throws `invalid_request` when `none` is combined with any other value, known or not.
 */
export function checkPrompt(parameters: Parameters): SignInWish {
	const words = (parameter(parameters, "prompt") ?? "").split(" ");
	const prompts = [...new Set(words)].filter((word) => word !== "");
	if (prompts.includes("none") && prompts.length > 1)
		throw oauthFailures.invalid_request({
			message: "prompt=none cannot be combined with another value of prompt.",
		});
	const maxAge = parameter(parameters, "max_age");
	if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
		throw oauthFailures.invalid_request({ message: "max_age is a whole number of seconds." });
	return {
		isSilent: prompts.includes("none"),
		isAnew: prompts.includes("login") || prompts.includes("select_account"),
		maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
	};
}
