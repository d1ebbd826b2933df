import { ClientError, isRecord, textOf } from "../calls/client-error.ts";
import { requestObject } from "../calls/send-request.ts";
import type { ClientConfig } from "../options/options.ts";
import { challengeOf, createState, createVerifier } from "./pkce.ts";
import { readTokens, type TokenResponse } from "./tokens.ts";

export type SignInOptions = {
	/** The slug of the tenant to sign in to. Default: the person's primary tenant (§5.3). */
	tenant?: string;
	/** The address on this site to open afterwards. Default: this page. */
	returnTo?: string;
	prompt?: "none" | "login" | "select_account";
	loginHint?: string;
};

type PendingSignIn = {
	state: string;
	verifier: string;
	redirectUri: string;
	returnTo: string;
	tenant?: string;
};

const pendingKey = ({ clientId }: ClientConfig) => `lango:${clientId}:sign-in`;

/**
 * Creates an authorization request (§4.1, §5.1) and returns its address. Stores the data for the callback in
 * the storage of the tab.
 */
export async function prepareSignIn(config: ClientConfig, options: SignInOptions): Promise<string> {
	const { tenant, prompt, loginHint } = options;
	const verifier = createVerifier();
	const state = createState();
	const redirectUri = redirectUriOf(config, tenant);
	const returnTo = ownPath(options.returnTo ?? config.pageUrl(), config);
	const pending: PendingSignIn = { state, verifier, redirectUri, returnTo, ...(tenant && { tenant }) };
	config.tab.set(pendingKey(config), JSON.stringify(pending));
	const uiLocales = config.uiLocales().join(" ");
	const query = new URLSearchParams({
		response_type: "code",
		client_id: config.clientId,
		redirect_uri: redirectUri,
		// A page that is resumed by its cookie needs no refresh token.
		scope: `openid profile email ${config.isResumed ? "" : "offline_access "}lango.api`,
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
	if (redirectUri.includes("{tenant}")) throw new Error("signIn needs a tenant for this redirectUri");
	return redirectUri;
}

/** The path of an address on this site; `/` for any other address. */
function ownPath(address: string, { pageUrl }: Pick<ClientConfig, "pageUrl">): string {
	const { origin } = new URL(pageUrl());
	const parsed = URL.parse(address, pageUrl());
	if (parsed === null || parsed.origin !== origin || parsed.pathname.startsWith("//")) return "/";
	return parsed.pathname + parsed.search + parsed.hash;
}

/** The result of a completed sign-in. */
export type SignInResult = TokenResponse & { returnTo: string; tenant: string | undefined };

/**
 * Completes a sign-in: checks the state of this tab and the issuer, and exchanges the code for tokens. The
 * verifier is always removed (§5.1). Throws ClientError: `state_unknown`, `state_mismatch`,
 * `issuer_mismatch` (RFC 9207), `code_missing`, or the error of the sign-on service.
 */
export async function finishSignIn(config: ClientConfig, address: string): Promise<SignInResult> {
	const pending = takePendingSignIn(config);
	const parameters = new URL(address).searchParams;
	if (pending === undefined) throw new ClientError("state_unknown");
	if (parameters.get("state") !== pending.state) throw new ClientError("state_mismatch");
	const issuer = parameters.get("iss");
	if (issuer !== null && issuer !== config.authUrl) throw new ClientError("issuer_mismatch");
	const error = textOf(parameters.get("error"));
	if (error !== undefined)
		throw new ClientError(error, { message: textOf(parameters.get("error_description")) ?? error });
	const code = textOf(parameters.get("code"));
	if (code === undefined) throw new ClientError("code_missing");
	const response = await requestObject(config, `${config.authUrl}/api/v1/token`, {
		method: "POST",
		body: new URLSearchParams({
			grant_type: "authorization_code",
			code,
			code_verifier: pending.verifier,
			client_id: config.clientId,
			redirect_uri: pending.redirectUri,
		}),
	});
	const { returnTo, tenant } = pending;
	return { ...readTokens(response, { now: config.now() }), returnTo: ownPath(returnTo, config), tenant };
}

/** Reads and removes the stored sign-in. */
function takePendingSignIn(config: ClientConfig): PendingSignIn | undefined {
	const text = config.tab.get(pendingKey(config));
	config.tab.remove(pendingKey(config));
	const stored: unknown = text === undefined ? undefined : JSON.parse(text);
	return isRecord(stored) ? (stored as PendingSignIn) : undefined;
}
