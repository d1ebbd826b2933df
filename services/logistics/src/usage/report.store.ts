import { acrossTenants, type Database } from "@lango/postgres";

/** Lists unreported changes of the rider count, the oldest first. Call it inside the tenant. */
export async function listUnreported(
	db: Database,
	{ tenantId, limit }: { tenantId: string; limit: number },
): Promise<ReadonlyArray<{ id: string; change: number }>> {
	return db.query<{ id: string; change: number }>(
		"select id, change from rider_reports where tenant_id = $1 order by counted_at, id limit $2",
		[tenantId, limit],
	);
}

/** Removes reported changes. */
export async function removeReported(
	db: Database,
	{ tenantId, ids }: { tenantId: string; ids: readonly string[] },
): Promise<void> {
	await db.query("delete from rider_reports where tenant_id = $1 and id = any ($2)", [tenantId, [...ids]]);
}

/** Lists the tenants with an unreported change older than `before`, in the order of their ids. */
export async function listOverdueTenants(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select distinct tenant_id from rider_reports
			  where counted_at < $1 and ($2::uuid is null or tenant_id > $2)
			  order by tenant_id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ tenant_id }) => tenant_id);
}
