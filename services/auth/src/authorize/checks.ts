import type { Failure } from "@lango/chassis";
import { apiScope } from "@lango/contracts";
import { type Client, scopesSupported } from "../clients/client.ts";
import { oauthFailures } from "../failures.ts";
import { acrPassword } from "../token/acr.ts";
import { isResource } from "../token/resource.ts";
import type { AuthorizationRequest } from "./request.ts";

type Context = { client: Client; audience: string };

/** A rule of the authorization request, and the failure of a request that breaks it. */
type Check = {
	rule: string;
	refuse: (request: AuthorizationRequest, context: Context) => Failure | undefined;
};

const invalid = (message: string) => oauthFailures.invalid_request({ message });
const challengeForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * The checks that need neither the person nor the database, in their order; the first failure is the
 * answer.
 */
const checks: readonly Check[] = [
	{
		rule: "RFC 6749 §3.1: a parameter occurs at most once",
		refuse: ({ repeated }) =>
			when(repeated !== undefined, () => invalid(`${repeated} is given more than once.`)),
	},
	{
		rule: "OpenID Connect Core §6: request objects are not supported",
		refuse: ({ requestObject }) =>
			requestObject &&
			(requestObject === "request"
				? oauthFailures.request_not_supported()
				: oauthFailures.request_uri_not_supported()),
	},
	{
		rule: "RFC 6749 §3.1.1: response_type is required",
		refuse: ({ responseType }) =>
			when(responseType === undefined, () => invalid("response_type is missing.")),
	},
	{
		rule: "RFC 6749 §3.1.1: the code flow is the only one",
		refuse: ({ responseType }) =>
			when(responseType !== "code", () => oauthFailures.unsupported_response_type()),
	},
	{
		rule: "OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode: query or form_post",
		refuse: ({ responseMode = "query" }) =>
			when(!["query", "form_post"].includes(responseMode), () =>
				invalid("response_mode is query or form_post."),
			),
	},
	{
		rule: "RFC 6749 §3.3: the client has the known scopes that it requests",
		refuse: (request, { client }) => {
			const denied = knownScopes(request, client).find((scope) => !client.scopes.includes(scope));
			return when(denied !== undefined, () =>
				oauthFailures.invalid_scope({ message: `The client is not allowed to request the scope ${denied}.` }),
			);
		},
	},
	{
		rule: "RFC 9700 §2.1.1: PKCE is required, except of a confidential client that is exempt",
		refuse: ({ codeChallenge, codeChallengeMethod }, { client }) =>
			when(codeChallenge === undefined && (client.isPkceRequired || codeChallengeMethod !== undefined), () =>
				invalid("code_challenge is missing: this client uses PKCE."),
			),
	},
	{
		rule: "RFC 7636 §4.3: the method is S256",
		refuse: ({ codeChallenge, codeChallengeMethod }) =>
			when(codeChallenge !== undefined && codeChallengeMethod !== "S256", () =>
				invalid("code_challenge_method is S256."),
			),
	},
	{
		rule: "RFC 7636 §4.2: the challenge is the base64url of a SHA-256",
		refuse: ({ codeChallenge }) =>
			when(codeChallenge !== undefined && !challengeForm.test(codeChallenge), () =>
				invalid("code_challenge is the base64url of a SHA-256: 43 characters."),
			),
	},
	{
		rule: "RFC 8707 §2: the resource is the platform or one of its services",
		refuse: ({ resource }, { audience }) =>
			when(!isResource(resource, audience), () => oauthFailures.invalid_target()),
	},
	{
		rule: "OpenID Connect Core §3.1.2.1: prompt=none has no other value beside it, known or not",
		refuse: ({ prompts }) =>
			when(prompts.has("none") && prompts.size > 1, () =>
				invalid("prompt=none cannot be combined with another value of prompt."),
			),
	},
	{
		rule: "OpenID Connect Core §3.1.2.1: max_age is in seconds",
		refuse: ({ malformed }) =>
			when(malformed.includes("max_age"), () => invalid("max_age is a whole number of seconds.")),
	},
	{
		rule: "OpenID Connect Core §5.5: claims is a JSON object",
		refuse: ({ malformed }) =>
			when(malformed.includes("claims"), () =>
				invalid("claims is a JSON object (OpenID Connect Core §5.5)."),
			),
	},
	{
		rule: "OpenID Connect Core §5.5.1.1: an essential acr is one that a sign-in has",
		refuse: ({ claims: { essentialAcr } = {} }) =>
			when(essentialAcr !== undefined && !essentialAcr.includes(acrPassword), () =>
				oauthFailures.unmet_authentication_requirements(),
			),
	},
];

const when = (isBroken: boolean, failure: () => Failure) => (isBroken ? failure() : undefined);

/** Throws the failure of the first rule that the request breaks. */
export function checkRequest(request: AuthorizationRequest, context: Context): void {
	for (const { refuse } of checks) {
		const failure = refuse(request, context);
		if (failure) throw failure;
	}
}

/**
 * The requested scopes that exist, each once; unknown ones are ignored (OpenID Connect Core §3.1.2.1). A
 * first-party client has `lango.api` without a grant, so its grants do not name it.
 */
export function knownScopes({ scopes }: AuthorizationRequest, { isFirstParty }: Client): string[] {
	return scopesSupported.filter((scope) => scopes.has(scope) && !(isFirstParty && scope === apiScope));
}
