import type { Database } from "@lango/postgres";
import type { Outlet } from "./outlets/outlet.store.ts";
import { recordSlug } from "./tenants/tenant.store.ts";

/** Inserts a tenant unless the slug is or was used; returns the tenant that has or had the slug. */
export async function recordDemoTenant(
	db: Database,
	{ slug, name, use_case }: { slug: string; name: string; use_case: string | null },
): Promise<{ id: string; isNew: boolean }> {
	const [known] = await db.query<{ id: string | null }>("select find_slug_owner($1) as id", [slug]);
	if (known?.id != null) return { id: known.id, isNew: false };
	const [row] = await db.query<{ id: string }>(
		"insert into tenants (slug, name, use_case) values ($1, $2, $3) returning id",
		[slug, name, use_case],
	);
	if (row === undefined) throw new Error(`the demo tenant ${slug} does not exist`);
	await recordSlug(db, { slug, id: row.id });
	return { id: row.id, isNew: true };
}

/** Records outlets where their codes are missing; returns those that are new. */
export async function recordDemoOutlets(
	db: Database,
	{
		tenantId,
		outlets,
	}: {
		tenantId: string;
		outlets: ReadonlyArray<{ code: string; name: string; use_case: string; is_hq?: boolean }>;
	},
): Promise<Outlet[]> {
	return db.query<Outlet>(
		`insert into outlets (tenant_id, code, name, use_case, is_hq)
		 select $1, o.code, o.name, o.use_case, coalesce(o.is_hq, false)
		   from jsonb_to_recordset($2) as o (code text, name text, use_case text, is_hq boolean)
		 on conflict (tenant_id, code) do nothing
		 returning id, code, name, use_case, is_hq, status, settings, version`,
		[tenantId, JSON.stringify(outlets)],
	);
}

export async function recordDemoUser(
	db: Database,
	user: { email: string; emailFolded: string; name: string; tenantId: string; passwordHash: string },
): Promise<{ id: string; isNew: boolean }> {
	const [added] = await db.query<{ id: string }>(
		`with added as (
		   insert into users (email, email_folded, email_verified, name, primary_tenant_id) values ($1, $2, true, $3, $4)
		   on conflict (email_folded) do nothing returning id
		 ), secured as (
		   insert into credentials (user_id, kind, secret) select id, 'password', $5 from added
		 )
		 select id from added`,
		[user.email, user.emailFolded, user.name, user.tenantId, user.passwordHash],
	);
	if (added !== undefined) return { id: added.id, isNew: true };
	const [known] = await db.query<{ id: string }>("select id from users where email_folded = $1", [
		user.emailFolded,
	]);
	if (known === undefined) throw new Error(`the demo user ${user.email} does not exist`);
	return { id: known.id, isNew: false };
}

/** Records a membership where it is missing, with the outlets named by their codes. */
export async function recordDemoMembership(
	db: Database,
	member: {
		tenantId: string;
		userId: string;
		roles: readonly string[];
		isHq: boolean;
		outlets: readonly string[];
	},
): Promise<void> {
	await db.query(
		"insert into memberships (tenant_id, user_id, roles, is_hq) values ($1, $2, $3, $4) on conflict (tenant_id, user_id) do nothing",
		[member.tenantId, member.userId, member.roles, member.isHq],
	);
	await db.query(
		`insert into membership_outlets (tenant_id, user_id, outlet_id)
		 select $1, $2, id from outlets where tenant_id = $1 and code = any ($3) on conflict do nothing`,
		[member.tenantId, member.userId, member.outlets],
	);
}

/** Slug and id of the named tenants that are not erased. */
export async function listDemoTenants(
	db: Database,
	slugs: readonly string[],
): Promise<Array<{ slug: string; id: string }>> {
	return db.query<{ slug: string; id: string }>(
		"select slug, id from tenants where slug = any ($1) and status <> 'deleted' order by slug",
		[slugs],
	);
}
