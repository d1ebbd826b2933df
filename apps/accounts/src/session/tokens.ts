import { post } from "./ask.ts";

/** What the sign-on service gives a client, as far as these pages use it. */
export type Tokens = {
	accessToken: string;
	refreshToken: string | undefined;
	/** Good once, to choose an outlet with; present when one has to be chosen. */
	exchangeToken: string | undefined;
	/** The outlets it is good for; undefined where the service does not say. */
	outletIds: readonly string[] | undefined;
};

/** What the sign-on service answers to who wants to choose again. */
export type OutletExchange = { ssoExchangeToken: string; outletIds?: readonly string[] };

export const clientId = "auth-ui";

/** In memory and nowhere else: a page that is loaded anew asks the sign-on service again, which knows the browser. */
let held: Tokens | undefined;
let underWay: Promise<Tokens> | undefined;

/** The tokens of this page's session; undefined before a sign-in. */
export function heldTokens(): Tokens | undefined {
	return held;
}

/** Holds what a sign-in, a code, a refresh or the choice of an outlet gave. */
export function holdTokens(answer: unknown): Tokens {
	held = toTokens(answer);
	return held;
}

export function dropTokens(): void {
	held = undefined;
}

/** The one-time token to choose an outlet with. It is given away once, since the service takes it even where it refuses the outlet. */
export function takeExchangeToken(): string | undefined {
	const token = held?.exchangeToken;
	if (held !== undefined) held = { ...held, exchangeToken: undefined };
	return token;
}

/** Holds a new one-time token, for who changes the outlet or was refused one. */
export function holdExchange({ ssoExchangeToken, outletIds }: OutletExchange): void {
	if (held !== undefined) held = { ...held, exchangeToken: ssoExchangeToken, outletIds };
}

/** Trades the refresh token for the next tokens. However many ask at once, one request goes out. Throws a Refusal. */
export function refreshTokens(authUrl: string): Promise<Tokens> {
	underWay ??= refresh(authUrl).finally(() => {
		underWay = undefined;
	});
	return underWay;
}

async function refresh(authUrl: string): Promise<Tokens> {
	const body = { refresh_token: held?.refreshToken ?? "none", client_id: clientId };
	return holdTokens(await post(`${authUrl}/api/v1/auth/refresh`, body));
}

/** Reads an answer of the token endpoint or one of its relatives. Throws when it holds no access token. */
function toTokens(answer: unknown): Tokens {
	const { access_token, refresh_token, ssoExchangeToken, outletIds } = answer as Record<string, unknown>;
	if (typeof access_token !== "string") throw new Error("The answer holds no access token.");
	return {
		accessToken: access_token,
		refreshToken: typeof refresh_token === "string" ? refresh_token : undefined,
		exchangeToken: typeof ssoExchangeToken === "string" ? ssoExchangeToken : undefined,
		outletIds: Array.isArray(outletIds) ? outletIds : undefined,
	};
}
