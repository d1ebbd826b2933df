import { askObject } from "../calls/ask.ts";
import { ClientError, isRecord, textOf } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import type { HeldTokens } from "../tokens/held-tokens.ts";
import { type Exchange, readExchange, readTokens, type TokenAnswer } from "../tokens/tokens.ts";
import type { ClientContext } from "./context.ts";

const exchangeKey = (clientId: string) => `lango:${clientId}:outlet-exchange`;

/** The tab keeps the one-time token for the session (§5.15). */
export function keepExchange(
	{ tab, clientId }: ClientConfig,
	{ token, tenantSlug, outletIds }: Exchange,
): void {
	tab.set(exchangeKey(clientId), JSON.stringify({ ssoExchangeToken: token, tenantSlug, outletIds }));
}

/** The outlet still to be chosen when the page was loaded anew. */
export function findExchange({ tab, clientId }: ClientConfig): Exchange | undefined {
	const text = tab.get(exchangeKey(clientId));
	const kept: unknown = text === undefined ? undefined : JSON.parse(text);
	return isRecord(kept) ? readExchange(kept, textOf(kept["tenantSlug"])) : undefined;
}

/** Nothing is to be chosen any more, or the one-time token is spent. */
export function dropExchange({ tab, clientId }: ClientConfig): void {
	tab.remove(exchangeKey(clientId));
}

/**
 * A new one-time token for the session, to choose again; a page that was loaded anew gets tokens by what
 * it kept.
 */
export async function askExchange({ config, held, fresh, refresh }: ClientContext): Promise<Exchange> {
	const { accessToken, claims } = await (held.current === undefined ? refresh(undefined) : fresh());
	const answer = await askObject(config, `${config.authUrl}/api/v1/auth/outlet-exchange`, {
		method: "POST",
		headers: { authorization: `Bearer ${accessToken}` },
	});
	const exchange = readExchange(answer, claims.tenant_slug);
	if (exchange === undefined) throw new ClientError("unreadable", { status: 200 });
	return exchange;
}

/**
 * Chooses the outlet of the session and answers its final tokens. An exchange token that ran out is
 * replaced once, where there is a session to ask with; a refused outlet does not consume it. Throws
 * ClientError: 403 `outlet_forbidden`, 401 `exchange_token_invalid`.
 */
export async function selectSessionOutlet(context: ClientContext, outletId: string): Promise<TokenAnswer> {
	const { config, held } = context;
	const kept = findExchange(config);
	try {
		return await select(context, kept ?? (await askExchange(context)), outletId);
	} catch (error) {
		const isOld = kept !== undefined && error instanceof ClientError && error.status === 401;
		if (!isOld || held.stored() === undefined) throw error;
		return select(context, await askExchange(context), outletId);
	}
}

async function select(
	{ config, held }: ClientContext,
	{ token }: Exchange,
	outletId: string,
): Promise<TokenAnswer> {
	try {
		const answer = await askObject(config, `${config.authUrl}/api/v1/auth/select-outlet`, {
			method: "POST",
			body: { ssoExchangeToken: token, outletId },
		});
		dropExchange(config);
		return keepRefreshToken(readTokens(answer, { now: config.now() }), held);
	} catch (error) {
		// An outlet that is refused (403) does not consume the token.
		if (error instanceof ClientError && error.status === 401) dropExchange(config);
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
