import { Failure } from "@lango/chassis";
import { hashSecret, mintSecret } from "@lango/tokens";
import type { Client } from "../clients/client.ts";
import { withMembers } from "../clients/redirect-uri.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { markName } from "../secrets/sign-in-mark.ts";
import { recordCodeForCookie } from "./authorization-code.store.ts";
import { checkClaims } from "./checks/claims.ts";
import { checkClient } from "./checks/client.ts";
import { checkHint } from "./checks/hint.ts";
import { checkPkce } from "./checks/pkce.ts";
import { checkPrompt } from "./checks/prompt.ts";
import { checkRedirectUri, type RedirectTarget } from "./checks/redirect-uri.ts";
import { checkResource } from "./checks/resource.ts";
import { checkResponseType } from "./checks/response-type.ts";
import { checkScope } from "./checks/scope.ts";
import { isSignedInAsWanted } from "./checks/session.ts";
import { checkTenant } from "./checks/tenant.ts";
import { type Parameters, parameter } from "./request.ts";

const codeSeconds = 60;

export type AuthorizationRequest = {
	parameters: Parameters;
	/** The value of the session cookie. */
	cookie: string | undefined;
};

/** Where the browser goes next: to an address, or by a form that posts the members there (OAuth 2.0 Form Post Response Mode). */
export type AuthorizationAnswer = { to: string } | { postTo: string; members: Record<string, string> };

/**
 * Answers an authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2): the client gets a code or an error,
 * or the browser goes to the sign-in page. Throws a Failure, to be shown on a page, while it is not yet known that the
 * redirect address is the client's.
 */
export async function authorize(
	dependencies: Dependencies,
	{ parameters, cookie }: AuthorizationRequest,
): Promise<AuthorizationAnswer> {
	const { db, settings } = dependencies;
	const client = await checkClient(dependencies.clients, parameters);
	const target = await checkRedirectUri(db, client, parameters);
	const { redirectUri } = target;
	const answer = (members: Record<string, string>): AuthorizationAnswer => {
		const { state: given } = parameters;
		const state = typeof given === "string" && given !== "" ? { state: given } : {};
		const all = { ...members, ...state, iss: settings.authUrl };
		return parameters.response_mode === "form_post"
			? { postTo: redirectUri, members: all }
			: { to: withMembers(redirectUri, all) };
	};
	try {
		const code = await decide(dependencies, { parameters, cookie, client, ...target });
		return code === undefined
			? { to: signInPage(dependencies, parameters, target.tenant) }
			: answer({ code });
	} catch (error) {
		if (!(error instanceof Failure) || error.kind === "internal" || error.kind === "unavailable") throw error;
		return answer({ error: error.code, error_description: error.message });
	}
}

/** The checks in their order; a code when all hold, undefined when the person has to sign in first. */
async function decide(
	dependencies: Dependencies,
	{
		parameters,
		cookie,
		client,
		redirectUri,
		tenant,
	}: AuthorizationRequest & RedirectTarget & { client: Client },
): Promise<string | undefined> {
	const { db, marks, now, settings } = dependencies;
	parameter(parameters, "state"); // Given twice, it cannot be given back.
	checkResponseType(parameters);
	const scope = checkScope(client, parameters);
	const codeChallenge = checkPkce(client, parameters);
	const resource = checkResource(parameters, settings.audience);
	const wish = checkPrompt(parameters);
	const { claims, subject } = checkClaims(parameters);
	const hinted = await checkHint(dependencies, parameters);
	const code = mintSecret();
	// §3.1.2.3: who is signed in on this browser, and whether they belong to the tenant meant (spec §5.4).
	const signedIn =
		cookie === undefined
			? undefined
			: await recordCodeForCookie(db, {
					cookieHash: hashSecret(cookie),
					tenantSlug: tenant,
					now: now(),
					codeHash: hashSecret(code),
					clientId: client.id,
					redirectUri,
					codeChallenge,
					scope,
					resource,
					claims,
					nonce: parameter(parameters, "nonce"),
					expiresAt: new Date(now().getTime() + codeSeconds * 1_000),
				});

	const subjects = [subject, hinted].filter((one) => one !== undefined);
	const sentAt = marks.read(parameter(parameters, markName), parameters, now());
	if (signedIn === undefined || !isSignedInAsWanted(signedIn, { ...wish, sentAt, subjects, now: now() })) {
		if (wish.isSilent) throw oauthFailures.login_required();
		return undefined;
	}
	checkTenant(signedIn);
	return code;
}

/** Spec §4.1: the full authorization request goes along as return_to; the client is not passed separately. */
function signInPage(
	{ settings, marks, now }: Dependencies,
	parameters: Parameters,
	tenant: string | undefined,
): string {
	const back = new URL(`${settings.authUrl}/api/v1/authorize`);
	for (const [name, value] of Object.entries(parameters))
		for (const one of [value ?? []].flat()) if (name !== markName) back.searchParams.append(name, one);
	if (parameters.prompt !== undefined || parameters.max_age !== undefined)
		back.searchParams.set(markName, marks.write(parameters, now()));
	const page = new URL(`${settings.accountsUrl}/login`);
	page.searchParams.set("return_to", back.toString());
	if (tenant !== undefined) page.searchParams.set("tenant", tenant);
	return page.toString();
}
