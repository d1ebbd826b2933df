import { askObject } from "../calls/ask.ts";
import { ClientError, isRecord, textOf } from "../calls/client-error.ts";
import type { Means } from "../means.ts";
import { readTokens, type TokenAnswer } from "../tokens/tokens.ts";
import type { Ground } from "./ground.ts";

export const exchangeKey = (clientId: string) => `lango:${clientId}:outlet-exchange`;

/** The one-time token an outlet is chosen with, as the tab keeps it for the session (§5.15). */
type Exchange = { token: string; tenantSlug: string | undefined };

export function keepExchange({ tab, clientId }: Means, exchange: Exchange): void {
	tab.set(exchangeKey(clientId), JSON.stringify(exchange));
}

/** The outlet still to be chosen when the page was loaded anew. */
export function findExchange({ tab, clientId }: Means): Exchange | undefined {
	const text = tab.get(exchangeKey(clientId));
	const kept: unknown = text === undefined ? undefined : JSON.parse(text);
	const token = isRecord(kept) ? textOf(kept["token"]) : undefined;
	return isRecord(kept) && token !== undefined
		? { token, tenantSlug: textOf(kept["tenantSlug"]) }
		: undefined;
}

/** A new one-time token for the session, to choose again. */
export async function askExchange({ means, fresh }: Ground): Promise<Exchange> {
	const { accessToken, claims } = await fresh();
	const answer = await askObject(means, `${means.authUrl}/api/v1/auth/outlet-exchange`, {
		method: "POST",
		headers: { authorization: `Bearer ${accessToken}` },
	});
	const token = textOf(answer["ssoExchangeToken"]);
	if (token === undefined) throw new ClientError("unreadable", { status: 200 });
	return { token, tenantSlug: claims.tenant_slug };
}

/**
 * Chooses the outlet of the session and answers its final tokens. An exchange token that ran out is replaced once, where there is
 * a token to ask with. Throws ClientError: 403 `outlet_forbidden`, 401 `exchange_token_invalid`.
 */
export async function selectSessionOutlet(ground: Ground, outletId: string): Promise<TokenAnswer> {
	const { means, held } = ground;
	const kept = findExchange(means);
	if (kept === undefined && held.current === undefined) throw new ClientError("signed_out");
	const select = async ({ token }: Exchange) =>
		readTokens(
			await askObject(means, `${means.authUrl}/api/v1/auth/select-outlet`, {
				method: "POST",
				body: { ssoExchangeToken: token, outletId },
			}),
			{ now: means.now(), before: held.current?.refreshToken },
		);
	try {
		return await select(kept ?? (await askExchange(ground)));
	} catch (error) {
		const isOld = kept !== undefined && error instanceof ClientError && error.status === 401;
		if (!isOld || held.current === undefined) throw error;
		return select(await askExchange(ground));
	}
}
