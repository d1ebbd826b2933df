import { acrossTenants, type Database } from "@lango/postgres";

/** Lists unreported orders, the oldest first. Call it inside the tenant. */
export async function listUnreported(
	db: Database,
	limit: number,
): Promise<ReadonlyArray<{ id: string; placedAt: Date }>> {
	const rows = await db.query<{ id: string; placed_at: Date }>(
		"select id, placed_at from orders where usage_reported_at is null order by placed_at limit $1",
		[limit],
	);
	return rows.map(({ id, placed_at: placedAt }) => ({ id, placedAt }));
}

/** Marks these orders as reported. */
export async function markReported(
	db: Database,
	{ ids, now }: { ids: readonly string[]; now: Date },
): Promise<void> {
	await db.query(
		"update orders set usage_reported_at = $2 where id = any ($1) and usage_reported_at is null",
		[[...ids], now],
	);
}

/**
 * Lists cancelled orders whose report was sent and not taken back yet, the oldest first. Call it inside the
 * tenant.
 */
export async function listUnreportedCancellations(
	db: Database,
	limit: number,
): Promise<ReadonlyArray<{ id: string; placedAt: Date }>> {
	const rows = await db.query<{ id: string; placed_at: Date }>(
		`select id, placed_at from orders
		  where status = 'cancelled' and cancellation_reported_at is null and usage_reported_at is not null
		  order by placed_at limit $1`,
		[limit],
	);
	return rows.map(({ id, placed_at: placedAt }) => ({ id, placedAt }));
}

/** Marks the cancellations of these orders as reported. */
export async function markCancellationsReported(
	db: Database,
	{ ids, now }: { ids: readonly string[]; now: Date },
): Promise<void> {
	await db.query(
		"update orders set cancellation_reported_at = $2 where id = any ($1) and cancellation_reported_at is null",
		[[...ids], now],
	);
}

/**
 * Lists the tenants with an unreported order or cancellation older than `before`, in the order of their ids.
 */
export async function listOverdueTenants(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select distinct tenant_id from orders
			  where ((usage_reported_at is null and placed_at < $1)
			         or (status = 'cancelled' and cancellation_reported_at is null and changed_at < $1))
			    and ($2::uuid is null or tenant_id > $2)
			  order by tenant_id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ tenant_id }) => tenant_id);
}
