import { ClientError, recordOf, textOf } from "../calls/client-error.ts";
import { requestObject } from "../calls/send-request.ts";
import type { ClientConfig } from "../options/options.ts";
import type { TokenStore } from "../tokens/token-store.ts";
import { type Exchange, readExchange, readTokens, type TokenResponse } from "../tokens/tokens.ts";
import type { ClientContext } from "./context.ts";

const exchangeKey = (clientId: string) => `lango:${clientId}:outlet-exchange`;

/** Stores the one-time token in the storage of the tab (§5.15). */
export function storeExchange(
	{ tab, clientId }: ClientConfig,
	{ token, tenantSlug, outletIds }: Exchange,
): void {
	tab.set(exchangeKey(clientId), JSON.stringify({ ssoExchangeToken: token, tenantSlug, outletIds }));
}

/** Reads the stored one-time token, for example after a reload of the page. */
export function findExchange({ tab, clientId }: ClientConfig): Exchange | undefined {
	const stored = recordOf(JSON.parse(tab.get(exchangeKey(clientId)) ?? "null"));
	return readExchange(stored, textOf(stored["tenantSlug"]));
}

/** Removes the stored one-time token. */
export function dropExchange({ tab, clientId }: ClientConfig): void {
	tab.remove(exchangeKey(clientId));
}

/** Requests a new one-time token with the session, which is refreshed first if the page was reloaded. */
export async function requestExchange({
	config,
	tokenStore,
	fresh,
	refresh,
}: ClientContext): Promise<Exchange> {
	const { accessToken, claims } = await (tokenStore.current === undefined ? refresh(undefined) : fresh());
	const response = await requestObject(config, `${config.authUrl}/api/v1/auth/outlet-exchange`, {
		method: "POST",
		headers: { authorization: `Bearer ${accessToken}` },
	});
	const exchange = readExchange(response, claims.tenant_slug);
	if (exchange === undefined) throw new ClientError("unreadable", { status: 200 });
	return exchange;
}

/**
 * Selects the outlet of the session and returns its tokens. Replaces an expired one-time token once, if
 * there is a session. A refused outlet does not consume the token. Throws ClientError: 403
 * `outlet_forbidden`, 401 `exchange_token_invalid`.
 */
export async function selectSessionOutlet(context: ClientContext, outletId: string): Promise<TokenResponse> {
	const { config, tokenStore } = context;
	const stored = findExchange(config);
	try {
		return await selectByExchange(context, stored ?? (await requestExchange(context)), outletId);
	} catch (error) {
		const isExpired = stored !== undefined && error instanceof ClientError && error.status === 401;
		const hasSession = tokenStore.current !== undefined || tokenStore.stored() !== undefined;
		if (!isExpired || !hasSession) throw error;
		return selectByExchange(context, await requestExchange(context), outletId);
	}
}

/** Selects the outlet of the session by a one-time token. Throws ClientError. */
export async function selectByExchange(
	{ config, tokenStore }: ClientContext,
	{ token }: Exchange,
	outletId: string,
): Promise<TokenResponse> {
	try {
		const response = await requestObject(config, `${config.authUrl}/api/v1/auth/select-outlet`, {
			method: "POST",
			body: { ssoExchangeToken: token, outletId },
		});
		dropExchange(config);
		return keepRefreshToken(readTokens(response, { now: config.now() }), tokenStore);
	} catch (error) {
		// A refused outlet (403) does not consume the one-time token.
		if (error instanceof ClientError && error.status === 401) dropExchange(config);
		throw error;
	}
}

/** A response without a refresh token keeps the stored one of the same session. */
function keepRefreshToken({ tokens, exchange }: TokenResponse, tokenStore: TokenStore): TokenResponse {
	const stored = tokenStore.stored();
	if (tokens.refreshToken !== undefined || stored?.sid !== (tokens.claims.sid ?? ""))
		return { tokens, exchange };
	return { tokens: { ...tokens, refreshToken: stored.refreshToken }, exchange };
}
