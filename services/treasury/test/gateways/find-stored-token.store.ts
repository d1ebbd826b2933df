import type { Database } from "@lango/postgres";

/** The encrypted token of the platform that was stored last. */
export async function findStoredToken(db: Database): Promise<Buffer | undefined> {
	const [row] = await db.query<{ sealed: Buffer }>(
		"select sealed from platform_gateway_tokens where sealed is not null order by expires_at desc limit 1",
	);
	return row?.sealed;
}
