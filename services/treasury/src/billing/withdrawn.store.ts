import { acrossTenants, currentTenant, type Database, inTenant } from "@lango/postgres";

type Operation = { sourceService: string; operationId: string };

/** Records that an operation was closed by its service. Call it inside the tenant. */
export async function recordWithdrawn(
	tx: Database,
	{ tenantId, sourceService, operationId }: Operation & { tenantId: string },
	now: Date,
): Promise<void> {
	await tx.query(
		`insert into withdrawn_operations (tenant_id, source_service, operation_id, withdrawn_at) values ($1, $2, $3, $4)
		 on conflict do nothing`,
		[tenantId, sourceService, operationId, now],
	);
}

/** Whether an operation was closed by its service. Call it inside the tenant. */
export async function isWithdrawn(tx: Database, { sourceService, operationId }: Operation): Promise<boolean> {
	const rows = await tx.query(
		"select 1 from withdrawn_operations where tenant_id = $3 and source_service = $1 and operation_id = $2",
		[sourceService, operationId, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** Removes what was withdrawn before a time, of all tenants: `limit` rows at most. Returns how many. */
export async function removeWithdrawn(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const old = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string; source_service: string; operation_id: string }>(
			`select tenant_id, source_service, operation_id from withdrawn_operations where withdrawn_at < $1
			  order by withdrawn_at limit $2`,
			[before, limit],
		),
	);
	for (const [tenantId, rows] of Map.groupBy(old, (row) => row.tenant_id))
		await inTenant(db, tenantId, (tx) =>
			tx.query(
				`delete from withdrawn_operations w using unnest($2::text[], $3::uuid[]) as o (source_service, operation_id)
				  where w.tenant_id = $1 and w.source_service = o.source_service and w.operation_id = o.operation_id`,
				[tenantId, rows.map((row) => row.source_service), rows.map((row) => row.operation_id)],
			),
		);
	return old.length;
}
