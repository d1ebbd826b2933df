import type { Language } from "@lango/contracts";
import type { Database } from "@lango/postgres";

type Row = {
	user_id: string;
	email: string;
	email_verified: boolean;
	name: string;
	locale: Language | null;
	user_status: string;
	version: number;
	tenant_id: string;
	tenant_slug: string;
	roles: string[];
	membership_status: string;
	is_hq: boolean;
	outlet_ids: string[];
};

/**
 * Increments the version of a user; returns their state in a tenant, or in all their tenants (500 at most).
 */
export async function bumpUser(
	tx: Database,
	{ userId, tenantId }: { userId: string; tenantId: string | undefined },
) {
	const rows = await tx.query<Row>("select * from bump_user($1, $2)", [userId, tenantId ?? null]);
	return rows.map(({ tenant_id, tenant_slug, user_status, membership_status, roles, is_hq, ...row }) => {
		const status = user_status === "active" ? membership_status : user_status;
		return {
			...row,
			roles: membership_status === "removed" ? [] : roles,
			status,
			is_hq: is_hq && status === "active",
			tenant: { id: tenant_id, slug: tenant_slug },
		};
	});
}

/**
 * A member's outlets for an event: whether they are bound to outlets, and which ones are assigned to them.
 */
export async function findMemberScope(
	tx: Database,
	{ tenantId, userId }: { tenantId: string; userId: string },
): Promise<{ is_hq: boolean; outlet_ids: string[] }> {
	const [row] = await tx.query<{ is_hq: boolean; outlet_ids: string[] }>(
		`select m.status = 'active' and is_hq_user(m.roles, m.is_hq) as is_hq,
		   array(select o.outlet_id from membership_outlets o
		          where o.tenant_id = m.tenant_id and o.user_id = m.user_id order by 1) as outlet_ids
		   from memberships m where m.tenant_id = $1 and m.user_id = $2`,
		[tenantId, userId],
	);
	if (row === undefined) throw new Error("the new person has no membership");
	return row;
}
