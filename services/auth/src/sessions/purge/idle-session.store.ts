import type { Database } from "@lango/postgres";

type Looking = { now: Date; after: string | undefined; limit: number };

/** Looks at some sessions after one and removes the idle among them; `lookedTo` is undefined when there were none to look at. */
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
