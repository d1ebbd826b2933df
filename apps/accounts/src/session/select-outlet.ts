import { Refusal } from "./refusal.ts";
import { post } from "./request.ts";
import { requestSignedIn } from "./request-signed-in.ts";
import { currentTokens, type OutletExchange, setExchange, setTokens, takeExchangeToken } from "./tokens.ts";

/** The outlets that may be selected; undefined if the service does not list them. Throws a Refusal. */
export async function findOfferedOutlets(authUrl: string): Promise<readonly string[] | undefined> {
	if (currentTokens()?.exchangeToken === undefined) setExchange(await requestExchange(authUrl));
	return currentTokens()?.outletIds;
}

/**
 * Selects the outlet of the session and stores its tokens (§5.15). An expired one-time token is replaced
 * once. Throws a Refusal.
 */
export async function selectOutlet(authUrl: string, outletId: string): Promise<void> {
	const select = (ssoExchangeToken: string) =>
		post(`${authUrl}/api/v1/auth/select-outlet`, { ssoExchangeToken, outletId });
	const stored = takeExchangeToken();
	const first = stored === undefined ? undefined : await select(stored).catch(undefinedIfExpired);
	const response = first ?? (await select((await requestExchange(authUrl)).ssoExchangeToken));
	// The session is the same: without a new refresh token the current one stays valid.
	setTokens({ refresh_token: currentTokens()?.refreshToken, ...(response as object) });
}

function undefinedIfExpired(error: unknown): undefined {
	if (!(error instanceof Refusal) || error.status !== 401) throw error;
}

async function requestExchange(authUrl: string): Promise<OutletExchange> {
	return (await requestSignedIn(authUrl, "/api/v1/auth/outlet-exchange", {
		method: "POST",
	})) as OutletExchange;
}
