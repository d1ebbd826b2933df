import { hashSecret, mintSecret } from "@lango/tokens";
import type { Dependencies } from "../dependencies.ts";
import { type AccessLimits, recordExchangeToken } from "./exchange-token.store.ts";

const exchangeTokenSeconds = 300;

/** The session and user of an outlet selection; `limits` if the exchange begins with an access token. */
export type ExchangeOf = {
	sessionId: string;
	userId: string;
	tenantId: string;
	limits?: AccessLimits | undefined;
};

/**
 * Creates the one-time token for the selection of a session's outlet (spec §5.15). It is valid for five
 * minutes, and no longer than the access token that the exchange begins with.
 */
export async function mintExchangeToken(
	{ db, now, tenantSecrets }: Pick<Dependencies, "db" | "now" | "tenantSecrets">,
	{ sessionId, userId, tenantId, limits }: ExchangeOf,
): Promise<string> {
	const secret = mintSecret();
	const latest = now().getTime() + exchangeTokenSeconds * 1_000;
	await recordExchangeToken(db, {
		tokenHash: hashSecret(secret),
		tenantId,
		userId,
		sessionId,
		expiresAt: new Date(Math.min(latest, limits?.expiresAt.getTime() ?? latest)),
		limits,
	});
	return tenantSecrets.write({ secret, tenantId });
}
