import { askObject } from "../calls/ask.ts";
import { ClientError, isRecord, textOf } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import { challengeOf, createState, createVerifier } from "./pkce.ts";
import { readTokens, type TokenAnswer } from "./tokens.ts";

export type SignInOptions = {
	/** The slug of the tenant to sign in to; without it, the person's primary one (§5.3). */
	tenant?: string;
	/** Where on this site to go on afterwards; default: this page. */
	returnTo?: string;
	prompt?: "none" | "login" | "select_account";
	loginHint?: string;
};

type UnderWay = { state: string; verifier: string; redirectUri: string; returnTo: string; tenant?: string };

const underWayKey = ({ clientId }: ClientConfig) => `lango:${clientId}:sign-in`;

/**
 * Makes the authorization request (§4.1, §5.1) and answers its address; what the callback needs stays
 * with the tab.
 */
export async function prepareSignIn(config: ClientConfig, options: SignInOptions): Promise<string> {
	const { tenant, prompt, loginHint } = options;
	const verifier = createVerifier();
	const state = createState();
	const redirectUri = redirectUriOf(config, tenant);
	const returnTo = ownPath(options.returnTo ?? config.pageUrl(), config);
	const underWay: UnderWay = { state, verifier, redirectUri, returnTo, ...(tenant && { tenant }) };
	config.tab.set(underWayKey(config), JSON.stringify(underWay));
	const uiLocales = config.uiLocales().join(" ");
	const query = new URLSearchParams({
		response_type: "code",
		client_id: config.clientId,
		redirect_uri: redirectUri,
		scope: "openid profile email offline_access lango.api",
		state,
		code_challenge: await challengeOf(verifier),
		code_challenge_method: "S256",
		...(tenant && { tenant }),
		...(prompt && { prompt }),
		...(loginHint && { login_hint: loginHint }),
		...(uiLocales && { ui_locales: uiLocales }),
	});
	return `${config.authUrl}/api/v1/authorize?${query}`;
}

function redirectUriOf({ redirectUri, tenantRedirectUri }: ClientConfig, tenant: string | undefined): string {
	if (tenant !== undefined) return tenantRedirectUri.replace("{tenant}", encodeURIComponent(tenant));
	if (redirectUri.includes("{tenant}")) throw new Error("this redirectUri needs a tenant to sign in to");
	return redirectUri;
}

/** A path on this site; anything that would lead elsewhere becomes the start page. */
function ownPath(address: string, { pageUrl }: Pick<ClientConfig, "pageUrl">): string {
	const { origin } = new URL(pageUrl());
	const parsed = URL.parse(address, pageUrl());
	if (parsed === null || parsed.origin !== origin || parsed.pathname.startsWith("//")) return "/";
	return parsed.pathname + parsed.search + parsed.hash;
}

export type Returned = TokenAnswer & { returnTo: string; tenant: string | undefined };

/**
 * Takes what the issuer sent back: the state must be the one of this tab's sign-in, the verifier is
 * discarded whatever comes of it (§5.1). Throws ClientError: `state_unknown`, `state_mismatch`,
 * `issuer_mismatch` (RFC 9207), the issuer's own error, `code_missing`, or what the token endpoint
 * refused.
 */
export async function finishSignIn(config: ClientConfig, address: string): Promise<Returned> {
	const underWay = takeUnderWay(config);
	const answer = new URL(address).searchParams;
	if (underWay === undefined) throw new ClientError("state_unknown");
	if (answer.get("state") !== underWay.state) throw new ClientError("state_mismatch");
	const issuer = answer.get("iss");
	if (issuer !== null && issuer !== config.authUrl) throw new ClientError("issuer_mismatch");
	const error = textOf(answer.get("error"));
	if (error !== undefined)
		throw new ClientError(error, { message: textOf(answer.get("error_description")) ?? error });
	const code = textOf(answer.get("code"));
	if (code === undefined) throw new ClientError("code_missing");
	const traded = await askObject(config, `${config.authUrl}/api/v1/token`, {
		method: "POST",
		body: new URLSearchParams({
			grant_type: "authorization_code",
			code,
			code_verifier: underWay.verifier,
			client_id: config.clientId,
			redirect_uri: underWay.redirectUri,
		}),
	});
	const { returnTo, tenant } = underWay;
	return { ...readTokens(traded, { now: config.now() }), returnTo: ownPath(returnTo, config), tenant };
}

/** The sign-in under way, which is none from now on. */
function takeUnderWay(config: ClientConfig): UnderWay | undefined {
	const text = config.tab.get(underWayKey(config));
	config.tab.remove(underWayKey(config));
	const kept: unknown = text === undefined ? undefined : JSON.parse(text);
	return isRecord(kept) ? (kept as UnderWay) : undefined;
}
