import type { JoinPolicy, OutletIsolation, PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";

/** A tenant with all its members. */
export type Tenant = PublicTenant & {
	use_case: string | null;
	org_size: string | null;
	join_policy: JoinPolicy;
	outlet_isolation: OutletIsolation;
	version: number;
	created_at: Date;
};

type TenantRow = Omit<Tenant, "branding"> & { logo_url: string | null; colour: string | null };

const columns = `id, slug, name, status, org_size, use_case, logo_url, colour, time_zone, currency, locale, join_policy, outlet_isolation,
	version, created_at`;

const fromRow = ({ logo_url, colour, ...tenant }: TenantRow): Tenant => ({
	...tenant,
	branding: { logo_url, colour },
});

/** The public data of a tenant. */
export function publicTenant(tenant: Tenant): PublicTenant {
	const { id, name, slug, status, branding, time_zone, currency, locale, outlet_isolation } = tenant;
	return { id, name, slug, status, branding, time_zone, currency, locale, outlet_isolation };
}

/** A tenant by its current slug, unless it is erased. */
export async function findTenantBySlug(db: Database, slug: string): Promise<Tenant | undefined> {
	const [row] = await db.query<TenantRow>(
		`select ${columns} from tenants where slug = $1 and status <> 'deleted'`,
		[slug],
	);
	return row && fromRow(row);
}

/** A tenant by its id, also an erased one. */
export async function findTenant(db: Database, id: string): Promise<Tenant | undefined> {
	const [row] = await db.query<TenantRow>(`select ${columns} from tenants where id = $1`, [id]);
	return row && fromRow(row);
}

/** Like `findTenant`, with a lock until the transaction ends. */
export async function lockTenant(tx: Database, id: string): Promise<Tenant | undefined> {
	const [row] = await tx.query<TenantRow>(`select ${columns} from tenants where id = $1 for no key update`, [
		id,
	]);
	return row && fromRow(row);
}

export type NewTenant = { name: string; slug: string; orgSize: string | null; useCase: string | null };

/**
 * Records a tenant. The database refuses a slug that is or was used by another one (`tenants__slug_unique`,
 * `tenant_slugs__pkey`).
 */
export async function recordTenant(tx: Database, tenant: NewTenant): Promise<Tenant> {
	const [row] = await tx.query<TenantRow>(
		`insert into tenants (name, slug, org_size, use_case) values ($1, $2, $3, $4) returning ${columns}`,
		[tenant.name, tenant.slug, tenant.orgSize, tenant.useCase],
	);
	if (row === undefined) throw new Error("recording a tenant returned no row");
	await recordSlug(tx, row);
	return fromRow(row);
}

type SlugOfTenant = { slug: string; id: string };

/**
 * Records a slug for its tenant, for ever; the transaction gets this tenant. The database refuses a slug that
 * is or was used by another one (`tenant_slugs__pkey`).
 */
export async function recordSlug(tx: Database, { slug, id }: SlugOfTenant): Promise<void> {
	await inTenant(tx, id, (inside) =>
		inside.query("insert into tenant_slugs (slug, tenant_id) values ($1, $2)", [slug, id]),
	);
}

/** Like `recordSlug`, for a tenant that may have had the slug before. Call it inside the tenant. */
export async function keepSlug(tx: Database, { slug, id }: SlugOfTenant): Promise<void> {
	const known = await tx.query("select from tenant_slugs where slug = $1 and tenant_id = $2", [slug, id]);
	if (known.length === 0) await recordSlug(tx, { slug, id });
}

/** Writes all mutable columns of a tenant and increments its version. Call `keepSlug` for another slug. */
export async function changeTenant(tx: Database, tenant: Tenant): Promise<Tenant> {
	const { branding } = tenant;
	const [row] = await tx.query<TenantRow>(
		`update tenants set slug = $2, name = $3, status = $4, logo_url = $5, colour = $6, time_zone = $7, currency = $8, locale = $9,
		   join_policy = $10, use_case = $11, org_size = $12, outlet_isolation = $13, version = version + 1
		  where id = $1 returning ${columns}`,
		[
			tenant.id,
			tenant.slug,
			tenant.name,
			tenant.status,
			branding.logo_url,
			branding.colour,
			tenant.time_zone,
			tenant.currency,
			tenant.locale,
			tenant.join_policy,
			tenant.use_case,
			tenant.org_size,
			tenant.outlet_isolation,
		],
	);
	if (row === undefined) throw new Error("the tenant to change does not exist");
	return fromRow(row);
}
