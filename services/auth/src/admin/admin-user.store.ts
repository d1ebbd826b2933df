import { type Place, pageOf } from "@lango/chassis";
import type { AdminUser } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { placeOf } from "../paging/place-of.ts";

type Row = Omit<AdminUser, "created_at" | "user_id"> & { id: string; created_at: Date };
const toWire = ({ id, created_at, ...user }: Row): AdminUser => ({
	...user,
	user_id: id,
	created_at: created_at.toISOString(),
});

export type AskedUsers = {
	/** Undefined: all tenants that are not erased. */
	status: string | undefined;
	/** The address, whole and folded. */
	emailFolded: string | undefined;
	after: Place | undefined;
	limit: number;
};

/** A page of all people, in the order they came. */
export async function listUsers(db: Database, { status, emailFolded, after, limit }: AskedUsers) {
	const rows = await db.query<Row & { place_at: string; place_id: string }>(
		`select id, email, email_verified, name, status, primary_tenant_id, created_at,
		   (extract(epoch from created_at) * 1000000)::bigint::text as place_at, id as place_id
		   from users
		  where case when $1::text is null then status <> 'deleted' else status = $1 end
		    and ($2::text is null or email_folded = $2)
		    and ($3::bigint is null or (created_at, id) > (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
		  order by created_at, id limit $5`,
		[status ?? null, emailFolded ?? null, after?.[0] ?? null, after?.[1] ?? null, limit + 1],
	);
	return pageOf(rows, { limit, placeOf, toWire: ({ place_at: _, place_id: __, ...row }) => toWire(row) });
}

/** A person as the platform owner sees them; undefined when there never was one. */
export async function findUser(db: Database, userId: string): Promise<AdminUser | undefined> {
	const [row] = await db.query<Row>(
		"select id, email, email_verified, name, status, primary_tenant_id, created_at from users where id = $1",
		[userId],
	);
	return row && toWire(row);
}

/** A person's status, held against other changes until the transaction ends. */
export async function lockUserStatus(tx: Database, userId: string): Promise<string | undefined> {
	const [row] = await tx.query<{ status: string }>(
		"select status from users where id = $1 for no key update",
		[userId],
	);
	return row?.status;
}

/** Writes a person's status and counts the change; answers the version. */
export async function changeUserStatus(
	tx: Database,
	{ userId, status }: { userId: string; status: string },
): Promise<number> {
	const [row] = await tx.query<{ version: number }>(
		"update users set status = $2, version = version + 1 where id = $1 returning version",
		[userId, status],
	);
	if (row === undefined) throw new Error("the user to change does not exist");
	return row.version;
}

/** The tenants that have something of a person. Call it before the transaction writes there. */
export async function listTenantsOfUser(tx: Database, userId: string): Promise<string[]> {
	const [user] = await tx.query<{ email_folded: string }>("select email_folded from users where id = $1", [
		userId,
	]);
	const rows = await tx.query<{ id: string }>("select id from list_tenants_of_user($1, $2) as id", [
		userId,
		user?.email_folded,
	]);
	return rows.map(({ id }) => id);
}

/** Removes all that is personal of a person, in these tenants and outside of tenants. */
export async function eraseUserRows(
	tx: Database,
	{ userId, tenantIds }: { userId: string; tenantIds: readonly string[] },
): Promise<void> {
	await tx.query("select erase_user($1, $2)", [userId, tenantIds]);
}
