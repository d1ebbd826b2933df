import { askObject } from "../calls/ask.ts";
import { ClientError, isRecord, textOf } from "../calls/client-error.ts";
import type { Means } from "../means.ts";
import type { HeldTokens } from "../tokens/held-tokens.ts";
import { type Exchange, readExchange, readTokens, type TokenAnswer } from "../tokens/tokens.ts";
import type { Ground } from "./ground.ts";

const exchangeKey = (clientId: string) => `lango:${clientId}:outlet-exchange`;

/** The tab keeps the one-time token for the session (§5.15). */
export function keepExchange({ tab, clientId }: Means, { token, tenantSlug, outletIds }: Exchange): void {
	tab.set(exchangeKey(clientId), JSON.stringify({ ssoExchangeToken: token, tenantSlug, outletIds }));
}

/** The outlet still to be chosen when the page was loaded anew. */
export function findExchange({ tab, clientId }: Means): Exchange | undefined {
	const text = tab.get(exchangeKey(clientId));
	const kept: unknown = text === undefined ? undefined : JSON.parse(text);
	return isRecord(kept) ? readExchange(kept, textOf(kept["tenantSlug"])) : undefined;
}

/** Nothing is to be chosen any more, or the one-time token is spent. */
export function dropExchange({ tab, clientId }: Means): void {
	tab.remove(exchangeKey(clientId));
}

/** A new one-time token for the session, to choose again; a page that was loaded anew gets tokens by what it kept. */
export async function askExchange({ means, held, fresh, refresh }: Ground): Promise<Exchange> {
	const { accessToken, claims } = await (held.current === undefined ? refresh(undefined) : fresh());
	const answer = await askObject(means, `${means.authUrl}/api/v1/auth/outlet-exchange`, {
		method: "POST",
		headers: { authorization: `Bearer ${accessToken}` },
	});
	const exchange = readExchange(answer, claims.tenant_slug);
	if (exchange === undefined) throw new ClientError("unreadable", { status: 200 });
	return exchange;
}

/**
 * Chooses the outlet of the session and answers its final tokens. An exchange token that ran out is replaced once, where there is
 * a session to ask with; a refused outlet does not consume it. Throws ClientError: 403 `outlet_forbidden`, 401 `exchange_token_invalid`.
 */
export async function selectSessionOutlet(ground: Ground, outletId: string): Promise<TokenAnswer> {
	const { means, held } = ground;
	const kept = findExchange(means);
	try {
		return await select(ground, kept ?? (await askExchange(ground)), outletId);
	} catch (error) {
		const isOld = kept !== undefined && error instanceof ClientError && error.status === 401;
		if (!isOld || held.stored() === undefined) throw error;
		return select(ground, await askExchange(ground), outletId);
	}
}

async function select({ means, held }: Ground, { token }: Exchange, outletId: string): Promise<TokenAnswer> {
	try {
		const answer = await askObject(means, `${means.authUrl}/api/v1/auth/select-outlet`, {
			method: "POST",
			body: { ssoExchangeToken: token, outletId },
		});
		dropExchange(means);
		return keepRefreshToken(readTokens(answer, { now: means.now() }), held);
	} catch (error) {
		// An outlet that is refused (403) does not consume the token.
		if (error instanceof ClientError && error.status === 401) dropExchange(means);
		throw error;
	}
}

/** An exchange that began with an access token brings no refresh token: the session keeps the one it has. */
function keepRefreshToken({ tokens, exchange }: TokenAnswer, held: HeldTokens): TokenAnswer {
	const stored = held.stored();
	if (tokens.refreshToken !== undefined || stored?.sid !== (tokens.claims.sid ?? ""))
		return { tokens, exchange };
	return { tokens: { ...tokens, refreshToken: stored.refreshToken }, exchange };
}
