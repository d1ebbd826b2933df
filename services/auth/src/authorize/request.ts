import { markName } from "../secrets/sign-in-mark.ts";
import { type ClaimsParameter, parseClaims } from "./claims-parameter.ts";
import type { Parameters } from "./parameters.ts";

/**
 * An authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). An empty parameter counts as
 * absent (RFC 6749 §3.1).
 */
export type AuthorizationRequest = {
	/**
	 * The first known parameter that occurs twice, which RFC 6749 §3.1 forbids. Its value below is undefined.
	 */
	repeated: string | undefined;
	state: string | undefined;
	nonce: string | undefined;
	requestObject: "request" | "request_uri" | undefined;
	responseType: string | undefined;
	responseMode: string | undefined;
	/** Each requested scope once, unknown ones included. */
	scopes: ReadonlySet<string>;
	codeChallenge: string | undefined;
	codeChallengeMethod: string | undefined;
	resource: string | undefined;
	prompts: ReadonlySet<string>;
	maxAgeSeconds: number | undefined;
	claims: ClaimsParameter | undefined;
	/** Parameters that cannot be parsed. Their values above are undefined. */
	malformed: ReadonlyArray<"max_age" | "claims">;
	idTokenHint: string | undefined;
	/** The mark of an earlier visit to the sign-in page. */
	signInMark: string | undefined;
};

/** The values of `prompt` that discovery advertises. */
export const promptsSupported = ["none", "login", "select_account"] as const;

/** The parameters of the request besides those of its redirect target. Unknown ones may occur twice. */
const names = [
	"state",
	"request",
	"request_uri",
	"response_type",
	"response_mode",
	"scope",
	"code_challenge",
	"code_challenge_method",
	"resource",
	"prompt",
	"max_age",
	"claims",
	"id_token_hint",
	"nonce",
	markName,
] as const;

const seconds = /^\d{1,9}$/;

/** Parses a request without judging it: `checks.ts` has the rules. */
export function parseRequest(parameters: Parameters): AuthorizationRequest {
	const value = (name: (typeof names)[number]) => {
		const given = parameters[name];
		return typeof given === "string" && given !== "" ? given : undefined;
	};
	const words = (text = "") => new Set(text.split(" ").filter((word) => word !== ""));
	const maxAgeText = value("max_age");
	const maxAgeSeconds = maxAgeText !== undefined && seconds.test(maxAgeText) ? Number(maxAgeText) : undefined;
	const claimsText = value("claims");
	const claims = claimsText === undefined ? undefined : parseClaims(claimsText);
	return {
		repeated: names.find((name) => Array.isArray(parameters[name])),
		state: value("state"),
		nonce: value("nonce"),
		requestObject: (["request", "request_uri"] as const).find((name) => value(name) !== undefined),
		responseType: value("response_type"),
		responseMode: value("response_mode"),
		scopes: words(value("scope")),
		codeChallenge: value("code_challenge"),
		codeChallengeMethod: value("code_challenge_method"),
		resource: value("resource"),
		prompts: words(value("prompt")),
		maxAgeSeconds,
		claims,
		malformed: [
			...(maxAgeText !== undefined && maxAgeSeconds === undefined ? ["max_age" as const] : []),
			...(claimsText !== undefined && claims === undefined ? ["claims" as const] : []),
		],
		idTokenHint: value("id_token_hint"),
		signInMark: value(markName),
	};
}
