import { post } from "./ask.ts";
import { Refusal } from "./refusal.ts";

/** What the sign-on service gives a client, as far as these pages use it. */
export type Tokens = {
	accessToken: string;
	refreshToken: string | undefined;
	/** Milliseconds since the epoch. */
	expiresAt: number;
	/** Good once, to choose an outlet with; present when one has to be chosen. */
	exchangeToken: string | undefined;
	/** The outlets it is good for; undefined where the service does not say. */
	outletIds: readonly string[] | undefined;
};

/** What the sign-on service answers to who wants to choose again. */
export type OutletExchange = { ssoExchangeToken: string; outletIds?: readonly string[] };

export const clientId = "auth-ui";

/** Access tokens live six hours (§8) where an answer does not say how long. */
const lifetimeSeconds = 21_600;
/** So long after a sign-in a 401 is believed to be about something else (§5.13). */
const graceMilliseconds = 15_000;

/** In memory and nowhere else: a page that is loaded anew asks the sign-on service again, which knows the browser. */
let held: Tokens | undefined;
let underWay: Promise<Tokens> | undefined;
let signedInAt = 0;

/** The tokens of this page's session; undefined before a sign-in. */
export function heldTokens(): Tokens | undefined {
	return held;
}

/** Holds what a sign-in, a code, a refresh or the choice of an outlet gave. */
export function holdTokens(answer: unknown): Tokens {
	if (held === undefined) signedInAt = Date.now();
	held = toTokens(answer);
	return held;
}

/** May a 401 mean that the session is over? Not within 15 seconds of the sign-in: leaving again and again would lead in circles. */
export function mayBeOver(): boolean {
	return Date.now() - signedInAt >= graceMilliseconds;
}

export function dropTokens(): void {
	held = undefined;
}

/** The one-time token to choose an outlet with. It is given away once: one that was refused may be consumed. */
export function takeExchangeToken(): string | undefined {
	const token = held?.exchangeToken;
	if (held !== undefined) held = { ...held, exchangeToken: undefined };
	return token;
}

/** Holds a new one-time token, for who changes the outlet or was refused one. */
export function holdExchange({ ssoExchangeToken, outletIds }: OutletExchange): void {
	if (held !== undefined) held = { ...held, exchangeToken: ssoExchangeToken, outletIds };
}

/** Tokens that are good by the clock, refreshed if they must be; undefined before a sign-in. Throws a Refusal. */
export async function freshTokens(authUrl: string): Promise<Tokens | undefined> {
	return held === undefined || held.expiresAt > Date.now() ? held : refreshTokens(authUrl);
}

/** Trades the refresh token for the next tokens. However many ask at once, one request goes out. Throws a Refusal. */
export function refreshTokens(authUrl: string): Promise<Tokens> {
	underWay ??= refresh(authUrl).finally(() => {
		underWay = undefined;
	});
	return underWay;
}

/** An answer without a new refresh token leaves the one before good (§4.1). */
async function refresh(authUrl: string): Promise<Tokens> {
	const before = held;
	const body = { refresh_token: before?.refreshToken ?? "none", client_id: clientId };
	const tokens = toTokens(await post(`${authUrl}/api/v1/auth/refresh`, body));
	// Somebody signed out meanwhile: these tokens are nobody's.
	if (held === undefined) throw new Refusal("session_ended", { status: 401 });
	held = { ...tokens, refreshToken: tokens.refreshToken ?? before?.refreshToken };
	return held;
}

/** Reads an answer of the token endpoint or one of its relatives. Throws when it holds no access token. */
function toTokens(answer: unknown): Tokens {
	const { access_token, refresh_token, expires_in, ssoExchangeToken, outletIds } = answer as Record<
		string,
		unknown
	>;
	if (typeof access_token !== "string") throw new Error("The answer holds no access token.");
	return {
		accessToken: access_token,
		refreshToken: typeof refresh_token === "string" ? refresh_token : undefined,
		expiresAt: Date.now() + Number(expires_in ?? lifetimeSeconds) * 1_000,
		exchangeToken: typeof ssoExchangeToken === "string" ? ssoExchangeToken : undefined,
		outletIds: Array.isArray(outletIds) ? outletIds : undefined,
	};
}
