import type { Database } from "@lango/postgres";
import { endSurplusSessions as endSurplus } from "../grant/session-limit.store.ts";
import { announceRevoked } from "./end-session.ts";

/**
 * Ends the least recently used sessions of a person beyond the limit (decision 0010), with one event for
 * each client session. Call it after the transaction that opened a session and found the limit exceeded.
 */
export function endSurplusSessions(
	db: Database,
	{ userId, now, correlationId }: { userId: string; now: Date; correlationId: string },
): Promise<void> {
	const because = "session_limit";
	return db.transaction(async (tx) => {
		const ended = await endSurplus(tx, { userId, now, because });
		await announceRevoked(tx, ended, { now, because, correlationId });
	});
}
