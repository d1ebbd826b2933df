import type { Database } from "@lango/postgres";

/** Whoever asks to administer, as the database knows them now, and the tenant the address names. */
export type Standing = {
	userId: string;
	userStatus: string;
	home: { id: string; slug: string; status: string };
	roles: readonly string[];
	/** None: they do not belong to the tenant of their session any more. */
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

/** Who is behind a session that lives; undefined when it was ended. One round trip. */
export async function findAdministrator(
	db: Database,
	{ sessionId, slug, now }: { sessionId: string; slug: string | undefined; now: Date },
): Promise<Standing | undefined> {
	const [row] = await db.query<Row>("select * from find_administrator($1, $2, $3)", [
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
