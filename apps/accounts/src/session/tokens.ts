import { Refusal } from "./refusal.ts";
import { post } from "./request.ts";

/** The tokens of a session. */
export type Tokens = {
	accessToken: string;
	refreshToken: string | undefined;
	/** Milliseconds since the epoch. */
	expiresAt: number;
	/** The one-time token for the selection of an outlet; present if one must be selected. */
	exchangeToken: string | undefined;
	/** The outlets that may be selected; undefined if the service does not list them. */
	outletIds: readonly string[] | undefined;
};

/** The response with a new one-time token for another selection. */
export type OutletExchange = { ssoExchangeToken: string; outletIds?: readonly string[] };

export const clientId = "auth-ui";

/** The lifetime of an access token without `expires_in`: six hours (§8). */
const lifetimeSeconds = 21_600;
/** Within this time after a sign-in a 401 does not end the session (§5.13). */
const graceMilliseconds = 15_000;

/** Only in memory. After a reload the sign-on service issues new tokens for the browser session. */
let current: Tokens | undefined;
let refreshing: Promise<Tokens> | undefined;
let signedInAt = 0;

/** The tokens of the session; undefined before a sign-in. */
export function currentTokens(): Tokens | undefined {
	return current;
}

/** Stores the tokens of a response of the sign-on service. */
export function setTokens(response: unknown): Tokens {
	if (current === undefined) signedInAt = Date.now();
	current = toTokens(response);
	return current;
}

/** Whether a 401 can end the session: not within 15 s of the sign-in, to prevent a redirect loop. */
export function mayHaveEnded(): boolean {
	return Date.now() - signedInAt >= graceMilliseconds;
}

export function dropTokens(): void {
	current = undefined;
}

/** Returns and removes the one-time token, because a refused one may have been consumed. */
export function takeExchangeToken(): string | undefined {
	const token = current?.exchangeToken;
	if (current !== undefined) current = { ...current, exchangeToken: undefined };
	return token;
}

/** Stores a new one-time token. */
export function setExchange({ ssoExchangeToken, outletIds }: OutletExchange): void {
	if (current !== undefined) current = { ...current, exchangeToken: ssoExchangeToken, outletIds };
}

/** Unexpired tokens, refreshed if necessary; undefined before a sign-in. Throws a Refusal. */
export async function freshTokens(authUrl: string): Promise<Tokens | undefined> {
	return current === undefined || current.expiresAt > Date.now() ? current : refreshTokens(authUrl);
}

/** Refreshes the tokens. Concurrent calls share one request. Throws a Refusal. */
export function refreshTokens(authUrl: string): Promise<Tokens> {
	refreshing ??= refresh(authUrl).finally(() => {
		refreshing = undefined;
	});
	return refreshing;
}

/** Without a new refresh token in the response the previous one stays valid (§4.1). */
async function refresh(authUrl: string): Promise<Tokens> {
	const before = current;
	const body = { refresh_token: before?.refreshToken ?? "none", client_id: clientId };
	const tokens = toTokens(await post(`${authUrl}/api/v1/auth/refresh`, body));
	// Signed out during the request: discard the tokens.
	if (current === undefined) throw new Refusal("session_ended", { status: 401 });
	current = { ...tokens, refreshToken: tokens.refreshToken ?? before?.refreshToken };
	return current;
}

/** Reads a response with tokens. Throws an Error without an access token. */
function toTokens(response: unknown): Tokens {
	const { access_token, refresh_token, expires_in, ssoExchangeToken, outletIds } = response as Record<
		string,
		unknown
	>;
	if (typeof access_token !== "string") throw new Error("The response has no access token.");
	return {
		accessToken: access_token,
		refreshToken: typeof refresh_token === "string" ? refresh_token : undefined,
		expiresAt: Date.now() + Number(expires_in ?? lifetimeSeconds) * 1_000,
		exchangeToken: typeof ssoExchangeToken === "string" ? ssoExchangeToken : undefined,
		outletIds: Array.isArray(outletIds) ? outletIds : undefined,
	};
}
