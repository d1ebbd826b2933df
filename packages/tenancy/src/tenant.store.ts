import type { PublicOutlet, PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import type { SyncedTenant } from "./tenant.ts";

type TenantRow = {
	id: string;
	slug: string;
	name: string;
	status: string;
	time_zone: string;
	currency: string;
	locale: string;
	synced_at: Date;
};

/** The tenant known under this slug, undefined when there is none. */
export async function findTenantBySlug(db: Database, slug: string): Promise<SyncedTenant | undefined> {
	const [row] = await db.query<TenantRow>(
		"select id, slug, name, status, time_zone, currency, locale, synced_at from tenants where slug = $1",
		[slug],
	);
	return row && fromRow(row);
}

/** The tenant with this id, undefined when there is none. */
export async function findTenantById(db: Database, id: string): Promise<SyncedTenant | undefined> {
	const [row] = await db.query<TenantRow>(
		"select id, slug, name, status, time_zone, currency, locale, synced_at from tenants where id = $1",
		[id],
	);
	return row && fromRow(row);
}

/**
 * Makes or changes a tenant as the sign-on service tells of it; a tenant known under an old slug gets its new one.
 * Throws the driver's error on `tenants__slug_unique` when another tenant is known here under that slug.
 */
export async function recordTenant(
	db: Database,
	tenant: PublicTenant,
	syncedAt: Date,
): Promise<SyncedTenant> {
	const [row] = await db.query<TenantRow>(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)
		 on conflict (id) do update
		    set slug = excluded.slug, name = excluded.name, status = excluded.status, time_zone = excluded.time_zone,
		        currency = excluded.currency, locale = excluded.locale, synced_at = greatest(tenants.synced_at, excluded.synced_at)
		 returning id, slug, name, status, time_zone, currency, locale, synced_at`,
		[
			tenant.id,
			tenant.slug,
			tenant.name,
			tenant.status,
			tenant.time_zone,
			tenant.currency,
			tenant.locale,
			syncedAt,
		],
	);
	if (row === undefined) throw new Error("recording a tenant returned nothing");
	return fromRow(row);
}

/** Makes or changes a tenant's outlets. An outlet that is known as another tenant's is refused by the row policy. */
export async function recordOutlets(
	db: Database,
	{ tenantId, outlets, syncedAt }: { tenantId: string; outlets: readonly PublicOutlet[]; syncedAt: Date },
): Promise<void> {
	await inTenant(db, tenantId, (tx) =>
		tx.query(
			`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
			 select id, $1, code, name, use_case, is_hq, status, settings, $3
			   from jsonb_to_recordset($2::jsonb)
			     as o (id uuid, code text, name text, use_case text, is_hq boolean, status text, settings jsonb)
			 on conflict (id) do update
			    set code = excluded.code, name = excluded.name, use_case = excluded.use_case, is_hq = excluded.is_hq,
			        status = excluded.status, settings = excluded.settings, synced_at = excluded.synced_at`,
			[tenantId, JSON.stringify(outlets), syncedAt],
		),
	);
}

function fromRow({ time_zone, synced_at, ...row }: TenantRow): SyncedTenant {
	return { ...row, timeZone: time_zone, syncedAt: synced_at };
}
