import { hashSecret, mintSecret } from "@lango/tokens";
import type { Dependencies } from "../dependencies.ts";
import { recordOneTimeToken } from "../sessions/session.store.ts";

const exchangeTokenSeconds = 300;

/** A one-time token by which a session's outlet is chosen (spec §5.15); good for five minutes. */
export async function mintExchangeToken(
	{ db, now }: Pick<Dependencies, "db" | "now">,
	{ sessionId, userId, tenantId }: { sessionId: string; userId: string; tenantId: string },
): Promise<string> {
	const token = mintSecret();
	const expiresAt = new Date(now().getTime() + exchangeTokenSeconds * 1_000);
	await recordOneTimeToken(db, {
		tokenHash: hashSecret(token),
		kind: "sso_exchange",
		tenantId,
		userId,
		sessionId,
		expiresAt,
	});
	return token;
}
