import type { Database } from "@lango/postgres";

/** Raises the versions of the next tenants in the order of their ids; returns these ids. */
export async function raiseTenants(
	tx: Database,
	{ after, by, limit }: { after: string; by: number; limit: number },
): Promise<string[]> {
	const rows = await tx.query<{ id: string }>(
		`with next as (select id from tenants where id > $1 order by id limit $3 for no key update)
		 update tenants t set version = t.version + $2 from next where t.id = next.id returning t.id`,
		[after, by, limit],
	);
	return rows.map(({ id }) => id).toSorted();
}

/**
 * Raises the versions of all outlets of a tenant (500 at most) and returns them. Call it inside the tenant.
 */
export async function raiseOutlets<Outlet extends Record<string, unknown>>(
	tx: Database,
	{ tenantId, by }: { tenantId: string; by: number },
): Promise<Outlet[]> {
	return tx.query<Outlet>(
		`update outlets set version = version + $2 where tenant_id = $1
		 returning id, code, name, use_case, is_hq, status, settings, version`,
		[tenantId, by],
	);
}

/**
 * Raises the versions of the next people in the order of their ids; returns them, and whether they were
 * erased.
 */
export async function raiseUsers(
	tx: Database,
	{ after, by, limit }: { after: string; by: number; limit: number },
): Promise<Array<{ id: string; version: number; isErased: boolean }>> {
	const rows = await tx.query<{ id: string; version: number; is_erased: boolean }>(
		`with next as (select id from users where id > $1 order by id limit $3 for no key update)
		 update users u set version = u.version + $2 from next where u.id = next.id
		 returning u.id, u.version, u.status = 'deleted' as is_erased`,
		[after, by, limit],
	);
	return rows
		.map(({ is_erased, ...user }) => ({ ...user, isErased: is_erased }))
		.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The next memberships that were removed, in the order of tenant and person. Call it across tenants. */
export async function listRemovedMemberships(
	tx: Database,
	{ after, limit }: { after: Membership; limit: number },
): Promise<Membership[]> {
	const rows = await tx.query<{ tenant_id: string; user_id: string }>(
		`select tenant_id, user_id from memberships
		  where status = 'removed' and (tenant_id, user_id) > ($1, $2) order by tenant_id, user_id limit $3`,
		[after.tenantId, after.userId, limit],
	);
	return rows.map(({ tenant_id, user_id }) => ({ tenantId: tenant_id, userId: user_id }));
}

export type Membership = { tenantId: string; userId: string };
