import type { Database } from "@lango/postgres";

/** A row that was replaced by a newer one when two ids of a tenant were merged. */
export type YieldedRow = { table: string; row: Readonly<Record<string, unknown>> };

/**
 * Takes the lock for changes of slugs, until the transaction ends. Only one process settles slugs at a time.
 */
export async function lockSlugs(tx: Database): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtext('settle_slug'))");
}

/**
 * Frees a tenant's slug for another one; its own slug becomes its id. Returns false if an event changed the
 * tenant since, or if its slug is a different one.
 */
export async function parkTenant(
	tx: Database,
	{ id, slug, askedAfter }: { id: string; slug: string; askedAfter: bigint },
): Promise<boolean> {
	const rows = await tx.query(
		"update tenants set slug = id::text where id = $1 and slug = $2 and event_number <= $3 and deleted_at is null returning id",
		[id, slug, askedAfter],
	);
	return rows.length > 0;
}

/**
 * Moves all rows of one tenant id to another, in every table. Returns the rows that newer ones replaced. Call
 * it after the sign-on service confirmed the change. Throws the driver's error if the old id does not have
 * this slug.
 */
export async function repointTenant(
	tx: Database,
	{ slug, from, to }: { slug: string; from: string; to: string },
): Promise<readonly YieldedRow[]> {
	return tx.query<YieldedRow>(
		'select from_table as "table", yielded as row from repoint_tenant($1, $2, $3)',
		[slug, from, to],
	);
}

/** Lists tenants that were received with a slug of another tenant. */
export async function listWantedSlugs(
	db: Database,
	limit: number,
): Promise<Array<{ id: string; slug: string }>> {
	return db.query(
		`select id, wanted_slug as slug from tenants where wanted_slug is not null and deleted_at is null
		  order by synced_at limit $1`,
		[limit],
	);
}

/** Clears the wanted slug of a tenant, after the sign-on service did not confirm it. */
export async function clearWantedSlug(
	db: Database,
	{ id, slug }: { id: string; slug: string },
): Promise<void> {
	await db.query("update tenants set wanted_slug = null where id = $1 and wanted_slug = $2", [id, slug]);
}
