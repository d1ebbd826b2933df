import type { Database } from "@lango/postgres";

/**
 * Assigns an outlet to every active member who has a role other than `member` and no active outlet, and to
 * open invitations of the same kind. Answers how many members got it.
 */
export async function assignOutlet(
	tx: Database,
	{ tenantId, outletId, now }: { tenantId: string; outletId: string; now: Date },
): Promise<number> {
	await tx.query(
		`update invitations set outlet_ids = array[$2::uuid]
		  where tenant_id = $1 and outlet_ids = '{}' and not roles <@ array['member']
		    and accepted_at is null and withdrawn_at is null and expires_at > $3`,
		[tenantId, outletId, now],
	);
	const [row] = await tx.query<{ count: number }>(
		`with assigned as (
		   insert into membership_outlets (tenant_id, user_id, outlet_id)
		   select m.tenant_id, m.user_id, $2 from memberships m
		    where m.tenant_id = $1 and m.status = 'active' and not m.roles <@ array['member']
		      and not exists (select from membership_outlets mo join outlets o on o.tenant_id = mo.tenant_id and o.id = mo.outlet_id and o.status = 'active'
		                       where mo.tenant_id = m.tenant_id and mo.user_id = m.user_id)
		   on conflict do nothing returning 1
		 )
		 select count(*)::int as count from assigned`,
		[tenantId, outletId],
	);
	return row?.count ?? 0;
}

/** The members who have an outlet, by their id, after one of them. */
export async function listAssigned(
	tx: Database,
	{
		tenantId,
		outletId,
		after = null,
		limit,
	}: { tenantId: string; outletId: string; after?: string | null | undefined; limit: number },
): Promise<string[]> {
	const rows = await tx.query<{ user_id: string }>(
		`select user_id from membership_outlets
		  where tenant_id = $1 and outlet_id = $2 and ($3::uuid is null or user_id > $3) order by user_id limit $4`,
		[tenantId, outletId, after, limit],
	);
	return rows.map(({ user_id }) => user_id);
}

/** Locks a tenant until the transaction ends and lists its active outlets, by code. */
export async function lockActiveOutlets(tx: Database, tenantId: string): Promise<string[]> {
	await tx.query("select id from tenants where id = $1 for no key update", [tenantId]);
	const rows = await tx.query<{ id: string }>(
		"select id from outlets where tenant_id = $1 and status = 'active' order by code limit 500",
		[tenantId],
	);
	return rows.map(({ id }) => id);
}
