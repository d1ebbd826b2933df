import type { Database } from "@lango/postgres";

/** The time it is for a tenant whose clock was set; undefined when it goes by everybody's. */
export async function findTestClock(tx: Database, tenantId: string): Promise<Date | undefined> {
	const [row] = await tx.query<{ now_at: Date }>("select now_at from test_clocks where tenant_id = $1", [
		tenantId,
	]);
	return row?.now_at;
}

/** Sets a tenant's clock. */
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
