import { Failure } from "@lango/chassis";
import { hashSecret, mintSecret } from "@lango/tokens";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { recordCode } from "./authorization-code.store.ts";
import { checkClient } from "./checks/client.ts";
import { checkPkce } from "./checks/pkce.ts";
import { checkRedirectUri } from "./checks/redirect-uri.ts";
import { checkResponseType } from "./checks/response-type.ts";
import { checkScope } from "./checks/scope.ts";
import { findSignedIn } from "./checks/session.ts";
import { checkTenant } from "./checks/tenant.ts";
import { type Parameters, parameter } from "./request.ts";

export const codeSeconds = 60;

export type AuthorizationRequest = {
	parameters: Parameters;
	/** The value of the session cookie. */
	cookie: string | undefined;
	/** The request's own address, to come back to after signing in. */
	address: string;
};

/**
 * Answers an authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2) with the address to send the browser
 * to: the client with a code or an error, or the sign-in page. Throws a Failure, to be shown on a page, while it is not
 * yet known that the redirect address is the client's.
 */
export async function authorize(
	dependencies: Dependencies,
	{ parameters, cookie, address }: AuthorizationRequest,
): Promise<string> {
	const { db, settings } = dependencies;
	const client = await checkClient(db, parameters);
	const redirectUri = await checkRedirectUri(db, client, parameters);
	const answer = (members: Record<string, string>) => {
		const to = new URL(redirectUri);
		const state = typeof parameters.state === "string" ? { state: parameters.state } : {};
		for (const [name, value] of Object.entries({ ...members, ...state, iss: settings.authUrl }))
			to.searchParams.append(name, value);
		return to.toString();
	};
	try {
		checkResponseType(parameters);
		const scope = checkScope(client, parameters);
		const codeChallenge = checkPkce(client, parameters);
		const session = await findSignedIn(dependencies, cookie);
		if (session === undefined && parameter(parameters, "prompt") === "none")
			throw oauthFailures.login_required();
		if (session === undefined)
			return signInPage(settings.accountsUrl, { returnTo: address, tenant: parameter(parameters, "tenant") });
		const standing = await checkTenant(db, session, parameters);
		const code = mintSecret();
		const expiresAt = new Date(dependencies.now().getTime() + codeSeconds * 1_000);
		await recordCode(db, {
			codeHash: hashSecret(code),
			tenantId: standing.tenant.id,
			userId: session.userId,
			clientId: client.id,
			browserSessionId: session.id,
			redirectUri,
			codeChallenge,
			scope,
			nonce: parameter(parameters, "nonce"),
			authTime: session.authTime,
			amr: session.amr,
			expiresAt,
		});
		return answer({ code });
	} catch (error) {
		if (!(error instanceof Failure) || error.kind === "internal" || error.kind === "unavailable") throw error;
		return answer({ error: error.code, error_description: error.message });
	}
}

/** Spec §4.1: the full authorization request goes along as return_to; the client is not passed separately. */
function signInPage(
	accountsUrl: string,
	{ returnTo, tenant }: { returnTo: string; tenant: string | undefined },
): string {
	const page = new URL(`${accountsUrl}/login`);
	page.searchParams.set("return_to", returnTo);
	if (tenant !== undefined) page.searchParams.set("tenant", tenant);
	return page.toString();
}
