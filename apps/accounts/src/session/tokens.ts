import {
	ClientError,
	type Exchange,
	readTokens,
	resume,
	type TokenResponse,
	type Tokens,
} from "@lango/client";
import { clientId, configOf, post } from "./request.ts";

/** Within this time after a sign-in a 401 does not end the session (§5.13). */
const graceMilliseconds = 15_000;

/** Only in memory. After a reload the sign-on service continues the session of the browser by its cookie. */
let current: TokenResponse | undefined;
let refreshing: Promise<Tokens> | undefined;
let signedInAt = 0;

/** The tokens of the session; undefined before a sign-in. */
export const currentTokens = (): Tokens | undefined => current?.tokens;

/** The one-time token for the selection of an outlet; undefined if none must be selected. */
export const currentExchange = (): Exchange | undefined => current?.exchange;

/** Stores received tokens. */
export function setTokens({ tokens, exchange }: TokenResponse): void {
	if (current === undefined) signedInAt = Date.now();
	current = { tokens, exchange };
}

/** Reads a response with tokens. Without a new refresh token `before` stays valid (§4.1). */
export const readResponse = (response: unknown, before?: string): TokenResponse =>
	readTokens(response as Record<string, unknown>, { now: Date.now(), before });

/** Whether a 401 can end the session: not within 15 s of the sign-in, to prevent a redirect loop. */
export function mayHaveEnded(): boolean {
	return Date.now() - signedInAt >= graceMilliseconds;
}

export function dropTokens(): void {
	current = undefined;
}

/** Replaces the one-time token. `undefined` removes it, because a refused one may have been consumed. */
export function setExchange(exchange: Exchange | undefined): void {
	if (current !== undefined) current = { ...current, exchange };
}

/** Unexpired tokens, refreshed if necessary; undefined before a sign-in. Throws ClientError. */
export async function freshTokens(authUrl: string): Promise<Tokens | undefined> {
	const tokens = currentTokens();
	return tokens === undefined || tokens.expiresAt > Date.now() ? tokens : refreshTokens(authUrl);
}

/** Refreshes the tokens. Concurrent calls share one request. Throws ClientError. */
export function refreshTokens(authUrl: string): Promise<Tokens> {
	refreshing ??= refresh(authUrl).finally(() => {
		refreshing = undefined;
	});
	return refreshing;
}

/**
 * Continues the session of this browser after its page was loaded again. Returns undefined without a session.
 * `me` is the answer of auth/me. Throws ClientError.
 */
export async function continueSession(authUrl: string): Promise<{ me: unknown } | undefined> {
	const resumed = await resume(configOf(authUrl), {});
	if (resumed !== undefined) setTokens(resumed);
	return resumed;
}

async function refresh(authUrl: string): Promise<Tokens> {
	const received = await requestNewTokens(authUrl);
	// Signed out during the request: discard the tokens.
	if (current === undefined) throw new ClientError("session_ended", { status: 401 });
	current = received;
	return received.tokens;
}

/** By the refresh token of the sign-in; without one, by the cookie of the browser, for the same session. */
async function requestNewTokens(authUrl: string): Promise<TokenResponse> {
	const { refreshToken, claims } = currentTokens() ?? {};
	if (refreshToken === undefined && claims !== undefined) {
		const resumed = await resume(configOf(authUrl), { tenant: claims.tenant_slug, sid: claims.sid });
		if (resumed !== undefined) return resumed;
	}
	const body = { refresh_token: refreshToken ?? "none", client_id: clientId };
	return readResponse(await post(`${authUrl}/api/v1/auth/refresh`, body), refreshToken);
}
