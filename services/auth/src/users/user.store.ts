import type { Database } from "@lango/postgres";

export type Membership = { tenant_id: string; slug: string; name: string; roles: string[]; status: string };

/** The tenants a person belongs to, by slug, at most 500. */
export async function listMemberships(db: Database, userId: string): Promise<Membership[]> {
	return db.query<Membership>("select tenant_id, slug, name, roles, status from list_memberships($1)", [
		userId,
	]);
}
