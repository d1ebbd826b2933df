import { type Place, pageOf } from "@lango/chassis";
import type { JoinRequest, Member } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { placeOf } from "../paging/place-of.ts";

/** The membership of a user. */
export type Membership = { roles: readonly string[]; status: string; isHq: boolean };

type MembershipRow = { roles: string[]; status: string; is_hq: boolean };
const fromRow = ({ is_hq: isHq, ...row }: MembershipRow): Membership => ({ ...row, isHq });

type Key = { tenantId: string; userId: string };

/**
 * Locks a membership until the transaction ends: first the tenant's row, then the user's, so that of two
 * parallel changes the second sees the result of the first. Also finds removed memberships.
 */
export async function lockMembership(
	tx: Database,
	{ tenantId, userId }: Key,
): Promise<Membership | undefined> {
	await tx.query("select id from tenants where id = $1 for no key update", [tenantId]);
	await tx.query("select id from users where id = $1 for no key update", [userId]);
	const [row] = await tx.query<MembershipRow>(
		"select roles, status, is_hq from memberships where tenant_id = $1 and user_id = $2",
		[tenantId, userId],
	);
	return row && fromRow(row);
}

export type Entering = Key &
	Membership & {
		now: Date;
		/** The status of a person who was removed before and joins again; equals `status` with an invitation. */
		statusAgain: string;
		/** The statuses of an earlier membership that can be replaced. */
		replaces: readonly string[];
	};

/** Makes a person a member. Returns their status; undefined if an earlier membership cannot be replaced. */
export async function recordMembership(tx: Database, member: Entering): Promise<string | undefined> {
	const [row] = await tx.query<{ status: string }>(
		`insert into memberships as m (tenant_id, user_id, roles, status, is_hq, created_at) values ($1, $2, $3, $4, $5, $6)
		 on conflict (tenant_id, user_id) do update
		   set roles = excluded.roles, is_hq = excluded.is_hq, created_at = excluded.created_at,
		       status = case when m.status = 'removed' then $7 else excluded.status end
		 where m.status = any ($8)
		 returning m.status`,
		[
			member.tenantId,
			member.userId,
			member.roles,
			member.status,
			member.isHq,
			member.now,
			member.statusAgain,
			member.replaces,
		],
	);
	if (row !== undefined) await keepSuperuserHome(tx, { ...member, status: row.status });
	return row?.status;
}

/** Writes the status, roles and headquarters flag of a member. */
export async function changeMembership(
	tx: Database,
	{ tenantId, userId, roles, status, isHq }: Key & Membership,
): Promise<void> {
	await tx.query(
		"update memberships set roles = $3, status = $4, is_hq = $5 where tenant_id = $1 and user_id = $2",
		[tenantId, userId, roles, status, isHq],
	);
	await keepSuperuserHome(tx, { tenantId, userId, roles, status });
}

/** The primary tenant of a superuser is the platform owner's, where alone this role is given (spec §2.3). */
async function keepSuperuserHome(
	tx: Database,
	{ tenantId, userId, roles, status }: Key & Pick<Membership, "roles" | "status">,
): Promise<void> {
	if (status !== "active" || !roles.includes("superuser")) return;
	await tx.query(
		"update users set primary_tenant_id = $1 where id = $2 and primary_tenant_id is distinct from $1",
		[tenantId, userId],
	);
}

/** Removes a user's unused authorization codes in a tenant. */
export async function removeUnusedCodes(tx: Database, { tenantId, userId, now }: Key & { now: Date }) {
	// Filters by the expiry, which has an index: only the codes of the last minute match.
	await tx.query(
		`delete from authorization_codes
		  where tenant_id = $1 and user_id = $2 and used_at is null and expires_at > $3`,
		[tenantId, userId, now],
	);
}

/** The outlets of a member. */
export async function listMemberOutlets(tx: Database, { tenantId, userId }: Key): Promise<string[]> {
	const rows = await tx.query<{ outlet_id: string }>(
		"select outlet_id from membership_outlets where tenant_id = $1 and user_id = $2 order by 1 limit 500",
		[tenantId, userId],
	);
	return rows.map(({ outlet_id }) => outlet_id);
}

/** Replaces the outlets of a member. */
export async function replaceMemberOutlets(
	tx: Database,
	{ tenantId, userId, outletIds }: Key & { outletIds: readonly string[] },
): Promise<void> {
	await tx.query("delete from membership_outlets where tenant_id = $1 and user_id = $2", [tenantId, userId]);
	await tx.query(
		`insert into membership_outlets (tenant_id, user_id, outlet_id)
		 select tenant_id, $2, id from outlets where tenant_id = $1 and id = any ($3::uuid[]) and status <> 'archived'`,
		[tenantId, userId, outletIds],
	);
}

/** The number of these outlets that belong to the tenant and are not archived. */
export async function countOutlets(
	tx: Database,
	{ tenantId, outletIds }: { tenantId: string; outletIds: readonly string[] },
): Promise<number> {
	const [row] = await tx.query<{ count: number }>(
		"select count(*)::int as count from outlets where tenant_id = $1 and id = any ($2::uuid[]) and status <> 'archived'",
		[tenantId, outletIds],
	);
	return row?.count ?? 0;
}

/** Whether another active member of the tenant has a role. */
export async function hasOther(
	tx: Database,
	{ tenantId, userId, role }: Key & { role: string },
): Promise<boolean> {
	const [row] = await tx.query<{ has: boolean }>(
		`select exists (
		   select from memberships m join users u on u.id = m.user_id
		    where m.tenant_id = $1 and m.user_id <> $2 and $3 = any (m.roles) and m.status = 'active' and u.status = 'active') as has`,
		[tenantId, userId, role],
	);
	return row?.has === true;
}

type MemberRow = Omit<Member, "joined_at"> & { created_at: Date; place_at: string; place_id: string };
type Asked = {
	tenantId: string;
	statuses: readonly string[];
	/** A part of a name or an address; case is ignored. */
	search: string | undefined;
	role?: string | undefined;
	after: Place | undefined;
	limit: number;
};

/** A page of the members of a tenant with one of these statuses, in the order they joined. */
export async function listMembers(tx: Database, asked: Asked) {
	return pageOf(await listRows(tx, asked), { limit: asked.limit, placeOf, toWire: toMember });
}

/** A page of the open join requests. */
export async function listJoinRequests(tx: Database, asked: Omit<Asked, "statuses" | "role">) {
	const statuses = ["pending", "pending_review"];
	return pageOf(await listRows(tx, { ...asked, statuses }), {
		limit: asked.limit,
		placeOf,
		toWire: toJoinRequest,
	});
}

async function listRows(tx: Database, asked: Asked): Promise<MemberRow[]> {
	const { tenantId, statuses, search = null, role = null, after, limit } = asked;
	return tx.query<MemberRow>(
		`select m.user_id, u.email, u.email_verified, u.name, m.roles, m.is_hq, is_hq_user(m.roles, m.is_hq) as is_hq_user, m.created_at,
		   case when u.status = 'disabled' then u.status else m.status end as status,
		   array(select o.outlet_id from membership_outlets o where o.tenant_id = m.tenant_id and o.user_id = m.user_id order by 1) as outlet_ids,
		   (extract(epoch from m.created_at) * 1000000)::bigint::text as place_at, m.user_id as place_id
		   from memberships m join users u on u.id = m.user_id
		  where m.tenant_id = $1 and m.status = any ($2)
		    and ($6::text is null or strpos(lower(u.name || ' ' || u.email), lower($6)) > 0)
		    and ($7::text is null or $7 = any (m.roles))
		    and ($3::bigint is null
		         or (m.created_at, m.user_id) > (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
		  order by m.created_at, m.user_id limit $5`,
		[tenantId, statuses, after?.[0] ?? null, after?.[1] ?? null, limit + 1, search, role],
	);
}

function toMember({ created_at, place_at: _, place_id: __, ...member }: MemberRow): Member {
	return { ...member, joined_at: created_at.toISOString() };
}

function toJoinRequest({
	user_id: id,
	email,
	email_verified,
	name,
	roles,
	status,
	created_at,
}: MemberRow): JoinRequest {
	return {
		id,
		email,
		email_verified,
		name,
		requested_roles: roles,
		status,
		requested_at: created_at.toISOString(),
	};
}
