import type { Database } from "@lango/postgres";

/** The time of a tenant's test clock; undefined if it has none. */
export async function findTestClock(tx: Database, tenantId: string): Promise<Date | undefined> {
	const [row] = await tx.query<{ now_at: Date }>("select now_at from test_clocks where tenant_id = $1", [
		tenantId,
	]);
	return row?.now_at;
}

/** Sets a tenant's test clock. */
export async function setTestClock(
	tx: Database,
	{ tenantId, now }: { tenantId: string; now: Date },
): Promise<void> {
	await tx.query(
		`insert into test_clocks (tenant_id, now_at) values ($1, $2)
		 on conflict (tenant_id) do update set now_at = excluded.now_at`,
		[tenantId, now],
	);
}
