import type { Database } from "@lango/postgres";

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
		"select 1 from withdrawn_operations where source_service = $1 and operation_id = $2",
		[sourceService, operationId],
	);
	return rows.length > 0;
}

/** Removes what was withdrawn before a time, of all tenants: `limit` rows at most. Returns how many. */
export async function removeWithdrawn(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const [row] = await db.query<{ removed: number }>("select remove_withdrawn_operations($1, $2) as removed", [
		before,
		limit,
	]);
	return row?.removed ?? 0;
}
