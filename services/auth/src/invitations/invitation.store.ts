import { type Place, pageOf } from "@lango/chassis";
import type { Invitation, InvitationPreview } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { hashSecret } from "@lango/tokens";
import { placeOf } from "../paging/place-of.ts";
import { tenantOfInvitation } from "../secrets/link-secret.ts";

/** An invitation that is good, as somebody who brings its value finds it. */
export type OpenInvitation = { id: string; tenantId: string; tenantSlug: string; emailFolded: string };

/** An invitation by its value: the tenant that the value names, and the hash of the value. */
type InvitationKey = { tenantId: string; tokenHash: Buffer };

/** The key of an invitation; undefined if the value names no tenant. */
export function invitationKeyOf(value: string): InvitationKey | undefined {
	const tenantId = tenantOfInvitation(value);
	return tenantId === undefined ? undefined : { tenantId, tokenHash: hashSecret(value) };
}

/** The invitation behind a value while it is good. */
export async function findInvitation(
	db: Database,
	{ tenantId, tokenHash, now }: InvitationKey & { now: Date },
): Promise<OpenInvitation | undefined> {
	const [row] = await db.query<{ id: string; tenant_id: string; tenant_slug: string; email_folded: string }>(
		"select id, tenant_id, tenant_slug, email_folded from find_invitation($1, $2, $3)",
		[tenantId, tokenHash, now],
	);
	return (
		row && {
			id: row.id,
			tenantId: row.tenant_id,
			tenantSlug: row.tenant_slug,
			emailFolded: row.email_folded,
		}
	);
}

/** An invitation that is good, with what the invited person reads; undefined for any other value. */
export async function describeInvitation(
	db: Database,
	{ tenantId, tokenHash, now }: InvitationKey & { now: Date },
): Promise<InvitationPreview | undefined> {
	const [row] = await db.query<Omit<InvitationPreview, "expires_at"> & { expires_at: Date }>(
		"select email, tenant_slug, tenant_name, invited_by, roles, expires_at from describe_invitation($1, $2, $3)",
		[tenantId, tokenHash, now],
	);
	return row && { ...row, expires_at: row.expires_at.toISOString() };
}

export type Grant = { roles: string[]; outletIds: string[]; isHq: boolean };

type Taking = { tenantId: string; id: string; userId: string; emailFolded: string; now: Date };

/** Uses an invitation up for the address it names: of two at once one gets it. Call it inside its tenant. */
export async function takeInvitation(
	tx: Database,
	{ tenantId, id, userId, emailFolded, now }: Taking,
): Promise<Grant | undefined> {
	const [row] = await tx.query<{ roles: string[]; outlet_ids: string[]; is_hq: boolean }>(
		`update invitations set accepted_at = $3, accepted_by = $4
		  where tenant_id = $5 and id = $1 and email_folded = $2 and accepted_at is null and withdrawn_at is null and expires_at > $3
		 returning roles, outlet_ids, is_hq`,
		[id, emailFolded, now, userId, tenantId],
	);
	return row && { roles: row.roles, outletIds: row.outlet_ids, isHq: row.is_hq };
}

export type NewInvitationRow = Grant & {
	id: string;
	tenantId: string;
	email: string;
	emailFolded: string;
	tokenHash: Buffer;
	keyId: string;
	createdBy: string;
	now: Date;
	expiresAt: Date;
};

type Row = Omit<Invitation, "created_at" | "expires_at"> & {
	created_at: Date;
	expires_at: Date;
	place_at: string;
	place_id: string;
};

const toWire = ({ created_at, expires_at, place_at: _, place_id: __, ...row }: Row): Invitation => ({
	...row,
	created_at: created_at.toISOString(),
	expires_at: expires_at.toISOString(),
});

/** Whether the invited person will be bound to no outlet, and the name of the administrator. */
type Recorded = { isHqUser: boolean; invitedBy: string | undefined };

/** Records an invitation. */
export async function recordInvitation(tx: Database, one: NewInvitationRow): Promise<Recorded> {
	const [creator] = await tx.query<{ name: string }>("select name from users where id = $1", [one.createdBy]);
	const [row] = await tx.query<{ is_hq_user: boolean }>(
		`insert into invitations (id, tenant_id, email, email_folded, roles, outlet_ids, is_hq, token_hash, key_id, created_by, created_at,
		   expires_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		 returning is_hq_user(roles, is_hq)`,
		[
			one.id,
			one.tenantId,
			one.email,
			one.emailFolded,
			one.roles,
			one.outletIds,
			one.isHq,
			one.tokenHash,
			one.keyId,
			one.createdBy,
			one.now,
			one.expiresAt,
		],
	);
	return { isHqUser: row?.is_hq_user === true, invitedBy: creator?.name || undefined };
}

/** An invitation that was open until now. */
export type Withdrawn = { id: string; roles: string[] };

/** Withdraws what is open for an address; a new invitation takes its place. */
export async function withdrawOpen(
	tx: Database,
	{ tenantId, emailFolded, now }: { tenantId: string; emailFolded: string; now: Date },
): Promise<Withdrawn[]> {
	const rows = await tx.query<Withdrawn & { was_open: boolean }>(
		`update invitations set withdrawn_at = $3
		  where tenant_id = $1 and email_folded = $2 and accepted_at is null and withdrawn_at is null
		 returning id, roles, expires_at > $3 as was_open`,
		[tenantId, emailFolded, now],
	);
	return rows.filter(({ was_open }) => was_open).map(({ id, roles }) => ({ id, roles }));
}

/** How many invitations of a tenant are open. */
export async function countOpen(
	tx: Database,
	{ tenantId, now }: { tenantId: string; now: Date },
): Promise<number> {
	const [row] = await tx.query<{ count: number }>(
		`select count(*)::int as count from invitations
		  where tenant_id = $1 and accepted_at is null and withdrawn_at is null and expires_at > $2`,
		[tenantId, now],
	);
	return row?.count ?? 0;
}

/** Whether the person with an address is in the tenant and may act. */
export async function isActiveMember(
	tx: Database,
	{ tenantId, emailFolded }: { tenantId: string; emailFolded: string },
): Promise<boolean> {
	const rows = await tx.query(
		`select 1 from memberships m join users u on u.id = m.user_id
		  where m.tenant_id = $1 and u.email_folded = $2 and m.status = 'active'`,
		[tenantId, emailFolded],
	);
	return rows.length > 0;
}

type Asked = {
	tenantId: string;
	/** A part of the address, in whatever letters. */
	search: string | undefined;
	status: Invitation["status"] | undefined;
	now: Date;
	after: Place | undefined;
	limit: number;
};

/** A page of a tenant's invitations, the latest first. */
export async function listInvitations(tx: Database, asked: Asked) {
	const { tenantId, search = null, status = null, now, after, limit } = asked;
	const rows = await tx.query<Row>(
		`select id, email, roles, outlet_ids, is_hq, is_hq_user(roles, is_hq) as is_hq_user, created_at, expires_at, s.status,
		   (extract(epoch from created_at) * 1000000)::bigint::text as place_at, id as place_id
		   from invitations,
		        lateral (select case when accepted_at is not null then 'accepted' when withdrawn_at is not null then 'withdrawn'
		                             when expires_at <= $2 then 'expired' else 'open' end as status) s
		  where tenant_id = $1
		    and ($6::text is null or strpos(lower(email), lower($6)) > 0)
		    and ($7::text is null or s.status = $7)
		    and ($3::bigint is null or (created_at, id) < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
		  order by created_at desc, id desc limit $5`,
		[tenantId, now, after?.[0] ?? null, after?.[1] ?? null, limit + 1, search, status],
	);
	return pageOf(rows, { limit, placeOf, toWire });
}

/** Withdraws an open invitation; undefined when there is no such one. */
export async function withdrawInvitation(
	tx: Database,
	{ tenantId, id, now }: { tenantId: string; id: string; now: Date },
): Promise<Withdrawn | undefined> {
	const [row] = await tx.query<Withdrawn>(
		`update invitations set withdrawn_at = $3
		  where tenant_id = $1 and id = $2 and accepted_at is null and withdrawn_at is null and expires_at > $3
		 returning id, roles`,
		[tenantId, id, now],
	);
	return row;
}
