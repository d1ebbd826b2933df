import type { Database } from "@lango/postgres";

/** A row that yielded to another when two ids of one tenant were merged, as it was. */
export type YieldedRow = { table: string; row: Readonly<Record<string, unknown>> };

/** Until the transaction ends nobody else settles whose a slug is, on any replica. */
export async function takeSettlingTurn(tx: Database): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtext('settle_slug'))");
}

/** Takes a tenant its slug that another is to have; it has its id for one. False when an event told of it since, or it has another slug. */
export async function parkTenant(
	tx: Database,
	{ id, slug, askedAfter }: { id: string; slug: string; askedAfter: bigint },
): Promise<boolean> {
	const rows = await tx.query(
		"update tenants set slug = id::text where id = $1 and slug = $2 and heard <= $3 and deleted_at is null returning id",
		[id, slug, askedAfter],
	);
	return rows.length > 0;
}

/**
 * Gives everything of one id to the other, in all tables; returns the rows that yielded to newer ones. Call it when the
 * sign-on service confirmed it. Throws the driver's error when the old id is not known under that slug.
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

/** Tenants that events told of under a slug that is another's here. */
export async function listWanting(db: Database, limit: number): Promise<Array<{ id: string; slug: string }>> {
	return db.query(
		`select id, wanted_slug as slug from tenants where wanted_slug is not null and deleted_at is null
		  order by synced_at limit $1`,
		[limit],
	);
}

/** The slug is not this tenant's after all. */
export async function forgetWanting(db: Database, { id, slug }: { id: string; slug: string }): Promise<void> {
	await db.query("update tenants set wanted_slug = null where id = $1 and wanted_slug = $2", [id, slug]);
}
