import type { Database } from "@lango/postgres";
import type { SessionRef } from "../sessions/grant/session.store.ts";

/** The current state of a user who calls an administration route, and the tenant in the address. */
export type AdministratorState = {
	userId: string;
	userStatus: string;
	home: { id: string; slug: string; status: string };
	roles: readonly string[];
	/** Null: they are no longer a member of the tenant of their session. */
	membershipStatus: string | null;
	tenant: { id: string; slug: string; status: string } | undefined;
};

type Row = {
	user_id: string;
	user_status: string;
	home_id: string;
	home_slug: string;
	home_status: string;
	roles: string[] | null;
	membership_status: string | null;
	tenant_id: string | null;
	tenant_slug: string | null;
	tenant_status: string | null;
};

/** Finds the user of a live session; undefined if the session has ended. One round trip. */
export async function findAdministrator(
	db: Database,
	{ tenantId, sessionId, slug, now }: SessionRef & { slug: string | undefined; now: Date },
): Promise<AdministratorState | undefined> {
	const [row] = await db.query<Row>("select * from find_administrator($1, $2, $3, $4)", [
		tenantId ?? null,
		sessionId,
		slug ?? null,
		now,
	]);
	if (row === undefined) return undefined;
	const { tenant_id: id, tenant_slug: named, tenant_status: status } = row;
	return {
		userId: row.user_id,
		userStatus: row.user_status,
		home: { id: row.home_id, slug: row.home_slug, status: row.home_status },
		roles: row.roles ?? [],
		membershipStatus: row.membership_status,
		tenant: id === null || named === null || status === null ? undefined : { id, slug: named, status },
	};
}
