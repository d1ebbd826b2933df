import { post } from "./ask.ts";
import { askSignedIn } from "./ask-signed-in.ts";
import { Refusal } from "./refusal.ts";
import { heldTokens, holdExchange, holdTokens, type OutletExchange, takeExchangeToken } from "./tokens.ts";

/** The outlets that may be chosen for the session; undefined where the service does not say. Throws a Refusal. */
export async function findOffered(authUrl: string): Promise<readonly string[] | undefined> {
	if (heldTokens()?.exchangeToken === undefined) holdExchange(await askExchange(authUrl));
	return heldTokens()?.outletIds;
}

/**
 * Chooses the outlet of the session and holds its final tokens (§5.15). A one-time token is sent once; one that ran out while the person
 * thought is replaced. Throws a Refusal.
 */
export async function selectOutlet(authUrl: string, outletId: string): Promise<void> {
	const select = (ssoExchangeToken: string) =>
		post(`${authUrl}/api/v1/auth/select-outlet`, { ssoExchangeToken, outletId });
	const kept = takeExchangeToken();
	const first = kept === undefined ? undefined : await select(kept).catch(unlessOld);
	const answer = first ?? (await select((await askExchange(authUrl)).ssoExchangeToken));
	// The session is the same, so its refresh token stays good where no other comes.
	holdTokens({ refresh_token: heldTokens()?.refreshToken, ...(answer as object) });
}

function unlessOld(error: unknown): undefined {
	if (!(error instanceof Refusal) || error.status !== 401) throw error;
}

async function askExchange(authUrl: string): Promise<OutletExchange> {
	return (await askSignedIn(authUrl, "/api/v1/auth/outlet-exchange", { method: "POST" })) as OutletExchange;
}
