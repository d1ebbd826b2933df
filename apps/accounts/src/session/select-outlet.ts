import { ClientError, type Exchange, readExchange } from "@lango/client";
import { post } from "./request.ts";
import { requestSignedIn } from "./request-signed-in.ts";
import { currentExchange, currentTokens, readResponse, setExchange, setTokens } from "./tokens.ts";

/** The outlets that may be selected; undefined if the service does not list them. Throws ClientError. */
export async function findOfferedOutlets(authUrl: string): Promise<readonly string[] | undefined> {
	if (currentExchange() === undefined) setExchange(await requestExchange(authUrl));
	return currentExchange()?.outletIds;
}

/**
 * Selects the outlet of the session and stores its tokens (§5.15). A one-time token is sent once; an expired
 * one is replaced. Throws ClientError.
 */
export async function selectOutlet(authUrl: string, outletId: string): Promise<void> {
	const select = ({ token: ssoExchangeToken }: Exchange) =>
		post(`${authUrl}/api/v1/auth/select-outlet`, { ssoExchangeToken, outletId });
	const stored = currentExchange();
	setExchange(undefined);
	const first = stored === undefined ? undefined : await select(stored).catch(undefinedIfExpired);
	const response = first ?? (await select(await requestExchange(authUrl)));
	setTokens(readResponse(response, currentTokens()?.refreshToken));
}

function undefinedIfExpired(error: unknown): undefined {
	if (!(error instanceof ClientError) || error.status !== 401) throw error;
}

async function requestExchange(authUrl: string): Promise<Exchange> {
	const response = await requestSignedIn(authUrl, "/api/v1/auth/outlet-exchange", { method: "POST" });
	const exchange = readExchange(response as Record<string, unknown>, undefined);
	if (exchange === undefined) throw new ClientError("unreadable", { status: 200 });
	return exchange;
}
