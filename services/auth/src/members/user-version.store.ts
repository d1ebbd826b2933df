import type { Database } from "@lango/postgres";

type Row = {
	user_id: string;
	email: string;
	email_verified: boolean;
	name: string;
	user_status: string;
	version: number;
	tenant_id: string;
	tenant_slug: string;
	roles: string[];
	membership_status: string;
	is_hq: boolean;
	outlet_ids: string[];
};

/** Counts a change of a person; answers how they stand in a tenant, or in each of theirs (500 at most). */
export async function bumpUser(
	tx: Database,
	{ userId, tenantId }: { userId: string; tenantId: string | undefined },
) {
	const rows = await tx.query<Row>("select * from bump_user($1, $2)", [userId, tenantId ?? null]);
	return rows.map(({ tenant_id, tenant_slug, user_status, membership_status, roles, ...row }) => ({
		...row,
		roles: membership_status === "removed" ? [] : roles,
		status: user_status === "active" ? membership_status : user_status,
		tenant: { id: tenant_id, slug: tenant_slug },
	}));
}
