import { acrossTenants, type Database } from "@lango/postgres";
import type { Bundle } from "./catalogue.ts";

/** Records a bundle. If its products change, the tenants on it are notified. */
export async function recordBundle(db: Database, { code, name, products }: Bundle): Promise<void> {
	await db.query(
		`with before as (
		   select products from bundles where code = $1
		 ), written as (
		   insert into bundles (code, name, products) values ($1, $2, $3)
		   on conflict (code) do update set name = excluded.name, products = excluded.products
		    where (bundles.name, bundles.products) is distinct from (excluded.name, excluded.products)
		   returning code)
		 insert into bundle_announcements (bundle_code)
		 select w.code from written w, before b where b.products is distinct from $3
		 on conflict (bundle_code) do update set announced_until = excluded.announced_until, change = bundle_announcements.change + 1`,
		[code, name, products],
	);
}

/** A bundle with tenants that are not notified yet, and the last tenant that is. */
export type BundleAnnouncement = { bundle: string; change: number; after: string };

export async function findBundleAnnouncement(db: Database): Promise<BundleAnnouncement | undefined> {
	const [row] = await db.query<{ bundle_code: string; change: number; announced_until: string }>(
		"select bundle_code, change, announced_until from bundle_announcements order by bundle_code limit 1",
	);
	return row && { bundle: row.bundle_code, change: row.change, after: row.announced_until };
}

/** Tenants whose current or pending plan has the bundle, ordered by id. */
export async function listTenantsOn(
	db: Database,
	{ bundle, after, max }: Omit<BundleAnnouncement, "change"> & { max: number },
): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select s.tenant_id from subscriptions s
			  where s.tenant_id > $2
			    and exists (select from plan_versions v
			                 where v.id in (s.plan_version_id, s.pending_plan_version_id) and v.bundle_code = $1)
			  order by s.tenant_id limit $3`,
			[bundle, after, max],
		),
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Stores the last notified tenant; undefined: all are. A newer change of the bundle starts again and is not
 * affected.
 */
export async function recordAnnounced(
	db: Database,
	{ bundle, change, until }: Omit<BundleAnnouncement, "after"> & { until: string | undefined },
): Promise<void> {
	const about = [bundle, change];
	if (until === undefined)
		await db.query("delete from bundle_announcements where bundle_code = $1 and change = $2", about);
	else
		await db.query(
			"update bundle_announcements set announced_until = $3 where bundle_code = $1 and change = $2",
			[...about, until],
		);
}

/** Raises the version of a subscription that this transaction has locked, and returns it. */
export async function raiseVersion(tx: Database, tenantId: string): Promise<number> {
	const [row] = await tx.query<{ version: number }>(
		"update subscriptions set version = version + 1, updated_at = now() where tenant_id = $1 returning version",
		[tenantId],
	);
	if (row === undefined) throw new Error("a locked subscription was not found");
	return row.version;
}
