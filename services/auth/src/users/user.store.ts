import type { Database } from "@lango/postgres";
import type { Standing } from "../token/standing.ts";
import { fromRow, type StandingRow } from "../token/standing-row.ts";

/** A person's standing in the tenant named by slug, or their primary one; undefined when they do not belong to it. */
export async function findStanding(
	db: Database,
	{ userId, tenantSlug }: { userId: string; tenantSlug: string | null },
): Promise<Standing | undefined> {
	const [row] = await db.query<{ standing: StandingRow | null }>("select find_standing($1, $2) as standing", [
		userId,
		tenantSlug,
	]);
	return row?.standing == null ? undefined : fromRow(row.standing);
}

export type Membership = { tenant_id: string; slug: string; name: string; roles: string[]; status: string };

/** The tenants a person belongs to, by slug, at most 500. */
export async function listMemberships(db: Database, userId: string): Promise<Membership[]> {
	return db.query<Membership>("select tenant_id, slug, name, roles, status from list_memberships($1)", [
		userId,
	]);
}
