import { Failure } from "@lango/chassis";
import { hashSecret, mintSecret } from "@lango/tokens";
import { withMembers } from "../clients/redirect-uri.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { markName } from "../secrets/sign-in-mark.ts";
import { readIdTokenHint } from "../sessions/grant/id-token-hint.ts";
import { recordCode } from "./authorization-code.store.ts";
import { checkRequest, knownScopes } from "./checks.ts";
import { earliestSignIn } from "./earliest-sign-in.ts";
import type { Parameters } from "./parameters.ts";
import { findRedirectTarget, type RedirectTarget } from "./redirect-target.ts";
import { type AuthorizationRequest, parseRequest } from "./request.ts";

const codeSeconds = 60;

type Needs = Pick<
	Dependencies,
	"clients" | "db" | "keyRing" | "marks" | "now" | "settings" | "tenantSecrets"
>;

type Received = {
	parameters: Parameters;
	/** The value of the session cookie. */
	cookie: string | undefined;
};

/**
 * The next address of the browser, by a redirect or by a form that posts the members (OAuth 2.0 Form Post
 * Response Mode).
 */
export type AuthorizationAnswer = { to: string } | { postTo: string; members: Record<string, string> };

/**
 * Answers an authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2): the client gets a code or
 * an error, or the browser goes to the sign-in page. Throws a Failure, to be shown on a page, until the
 * redirect address is verified.
 */
export async function authorize(
	dependencies: Needs,
	{ parameters, cookie }: Received,
): Promise<AuthorizationAnswer> {
	const target = await findRedirectTarget(dependencies, parameters);
	const request = parseRequest(parameters);
	const answer = (members: Record<string, string>): AuthorizationAnswer => {
		const state = request.state === undefined ? {} : { state: request.state };
		const all = { ...members, ...state, iss: dependencies.settings.authUrl };
		return request.responseMode === "form_post"
			? { postTo: target.redirectUri, members: all }
			: { to: withMembers(target.redirectUri, all) };
	};
	try {
		const code = await decide(dependencies, { request, target, parameters, cookie });
		return code === undefined
			? { to: signInPage(dependencies, parameters, target.tenantSlug) }
			: answer({ code });
	} catch (error) {
		if (!(error instanceof Failure) || error.kind === "internal" || error.kind === "unavailable") throw error;
		return answer({ error: error.code, error_description: error.message });
	}
}

type Deciding = Received & { request: AuthorizationRequest; target: RedirectTarget };

/**
 * A code if the request passes all checks and the person may have one; undefined if they must sign in
 * first.
 */
async function decide(
	dependencies: Needs,
	{ request, target, parameters, cookie }: Deciding,
): Promise<string | undefined> {
	const { db, marks, now, settings, tenantSecrets } = dependencies;
	const { client, redirectUri, tenantSlug } = target;
	checkRequest(request, { client, audience: settings.audience });
	const [subject, ...otherSubjects] = await subjectsOf(dependencies, request);
	const at = now();
	const { prompts, maxAgeSeconds, resource } = request;
	const sentAt = marks.read(request.signInMark, parameters, at);
	const secret = mintSecret();
	const issued =
		cookie === undefined || otherSubjects.length > 0
			? ({ outcome: "sign_in_required" } as const)
			: await recordCode(
					db,
					{
						codeHash: hashSecret(secret),
						clientId: client.id,
						redirectUri,
						codeChallenge: request.codeChallenge,
						scope: knownScopes(request, client).join(" "),
						resource: resource === settings.audience ? undefined : resource,
						claims: request.claims?.requested,
						nonce: request.nonce,
						expiresAt: new Date(at.getTime() + codeSeconds * 1_000),
					},
					{
						cookieHash: hashSecret(cookie),
						tenantSlug,
						subject,
						signedInSince: earliestSignIn({ prompts, maxAgeSeconds, sentAt, now: at }),
						now: at,
					},
				);
	const { outcome } = issued;
	if (outcome === "recorded") return tenantSecrets.write({ secret, tenantId: issued.tenantId });
	if (outcome === "not_a_member") throw oauthFailures.access_denied();
	if (outcome === "tenant_inactive")
		throw oauthFailures.access_denied({ message: "This tenant is not active." });
	if (prompts.has("none")) throw oauthFailures.login_required();
	return undefined;
}

/**
 * The different people that a hint and the claims require (OpenID Connect Core §3.1.2.1, §5.5). Throws
 * `invalid_request`.
 */
async function subjectsOf(
	{ keyRing, settings }: Pick<Dependencies, "keyRing" | "settings">,
	{ claims, idTokenHint }: AuthorizationRequest,
): Promise<string[]> {
	const subjects = new Set<string>();
	if (claims?.subject !== undefined) subjects.add(claims.subject);
	if (idTokenHint !== undefined) {
		const hint = await readIdTokenHint(idTokenHint, { keys: keyRing.keys, issuer: settings.authUrl });
		if (hint === undefined)
			throw oauthFailures.invalid_request({ message: "id_token_hint is not an ID token of this issuer." });
		subjects.add(hint.subject);
	}
	return [...subjects];
}

/** Spec §4.1: return_to contains the full authorization request; the client is not passed separately. */
function signInPage(
	{ settings, marks, now }: Needs,
	parameters: Parameters,
	tenantSlug: string | undefined,
): string {
	const back = new URL(`${settings.authUrl}/api/v1/authorize`);
	for (const [name, value] of Object.entries(parameters))
		for (const one of [value ?? []].flat()) if (name !== markName) back.searchParams.append(name, one);
	if (parameters.prompt !== undefined || parameters.max_age !== undefined)
		back.searchParams.set(markName, marks.write(parameters, now()));
	const page = new URL(`${settings.accountsUrl}/login`);
	page.searchParams.set("return_to", back.toString());
	if (tenantSlug !== undefined) page.searchParams.set("tenant", tenantSlug);
	return page.toString();
}
