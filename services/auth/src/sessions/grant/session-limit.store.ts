import type { Database } from "@lango/postgres";
import { fromRevokedRow, type Revoked, type RevokedRow } from "./session.store.ts";
import { browserIdleSeconds, sessionsMax } from "./session-limit.ts";

/**
 * Whether a person has more live sessions than allowed. Call it after the insert of one: in its transaction,
 * where parallel ones of the same person wait for each other here, or after its commit.
 */
export async function exceedsSessionLimit(
	tx: Database,
	{ userId, now }: { userId: string; now: Date },
): Promise<boolean> {
	const [row] = await tx.query<{ is_over: boolean }>(
		"select exceeds_session_limit($1, $2, make_interval(secs => $3), $4) as is_over",
		[userId, now, browserIdleSeconds, sessionsMax],
	);
	return row?.is_over === true;
}

/** Ends the least recently used sessions beyond the limit; returns the client sessions that ended. */
export async function endSurplusSessions(
	tx: Database,
	{ userId, now, because }: { userId: string; now: Date; because: string },
): Promise<Revoked[]> {
	const rows = await tx.query<RevokedRow>(
		"select * from end_surplus_sessions($1, $2, make_interval(secs => $3), $4, $5)",
		[userId, now, browserIdleSeconds, sessionsMax, because],
	);
	return rows.map(fromRevokedRow);
}
