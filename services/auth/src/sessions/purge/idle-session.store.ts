import type { Database } from "@lango/postgres";

type Looking = { now: Date; after: string | undefined; limit: number };

/**
 * Checks a batch of sessions after a position and removes the idle ones; `lookedTo` is undefined at the
 * end.
 */
export async function purgeIdleSessions(
	db: Database,
	{ now, after, limit }: Looking,
): Promise<{ lookedTo: string | undefined; gone: number }> {
	const [row] = await db.query<{ looked_to: string | null; gone: number }>(
		"select looked_to, gone from purge_idle_sessions($1, $2, $3)",
		[now, after ?? null, limit],
	);
	return { lookedTo: row?.looked_to ?? undefined, gone: row?.gone ?? 0 };
}
