import { type Place, pageOf } from "@lango/chassis";
import type { AuditAction, AuditEntry, TenantAuditEntry } from "@lango/contracts";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import type { Origin } from "./origin.ts";

/** The tenant of rows about the platform: no tenant can have this id. */
const platformTenantId = "00000000-0000-0000-0000-000000000000";

export type AuditRow = {
	/** Undefined: the action concerns the platform only. */
	tenantId?: string | undefined;
	action: AuditAction;
	/** The id of the changed entity, or an address of the service. */
	subject: string;
	before?: unknown;
	after?: unknown;
};

/** The origin of a change. A change outside a request has no IP address and no request id. */
type AuditOrigin = Pick<Origin, "actorUserId" | "now"> & { [Of in "ip" | "requestId"]: string | undefined };

/**
 * Records an audit row; call it in the transaction of the change. `before` and `after` contain ids and
 * settings, never a person's name or address, because rows outlive the users that they refer to.
 */
export async function recordAudit(tx: Database, origin: AuditOrigin, row: AuditRow): Promise<void> {
	await tx.query("select record_audit($1, $2)", [
		row.tenantId ?? platformTenantId,
		{
			at: origin.now,
			action: row.action,
			actor_user_id: origin.actorUserId ?? null,
			subject: row.subject,
			before: row.before ?? null,
			after: row.after ?? null,
			ip: origin.ip ?? null,
			request_id: origin.requestId ?? null,
		},
	]);
}

type Row = Omit<AuditEntry, "at"> & { at: Date; place_at: string };
type Asked = { after: Place | undefined; limit: number };

type AskedOfTenant = Asked & {
	tenantId: string;
	/** At this time or later. */
	from: Date | undefined;
	/** Before this time. */
	to: Date | undefined;
	/** The id of the acting user. */
	actor?: string | undefined;
	action?: string | undefined;
	/** The first words of actions, before their dot. */
	about?: readonly string[] | undefined;
};

type NamedRow = Row & Pick<TenantAuditEntry, "actor_name" | "subject_name"> & { place_id: string };

/**
 * A page of a tenant's audit rows, newest first, with the current names of its people, outlets and
 * invitations.
 */
export async function listTenantAudit(db: Database, asked: AskedOfTenant) {
	const { tenantId, after, limit, from = null, to = null, actor = null, action = null, about = null } = asked;
	const [at = null, position = null] = after ?? [];
	const rows = await inTenant(db, tenantId, (tx) =>
		tx.query<NamedRow>(
			`with page as (
			   select *, case when subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then subject::uuid end as subject_id
			     from audit_log
			    where tenant_id = $1
			      and ($2::bigint is null
			           or (at, position) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $8::bigint))
			      and ($4::timestamptz is null or at >= $4) and ($5::timestamptz is null or at < $5)
			      and ($6::uuid is null or actor_user_id = $6) and ($7::text is null or action = $7)
			      and ($9::text[] is null or split_part(action, '.', 1) = any($9))
			    order by at desc, position desc limit $3)
			 select p.id, p.at, p.action, p.actor_user_id, p.tenant_id, p.subject, p.before, p.after, p.ip, p.request_id,
			   p.position::text as place_id, (extract(epoch from p.at) * 1000000)::bigint::text as place_at, nullif(a.name, '') as actor_name,
			   coalesce(nullif(s.name, ''), o.name, i.email) as subject_name
			   from page p
			   left join (memberships am join users a on a.id = am.user_id)
			     on am.tenant_id = $1 and am.user_id = p.actor_user_id
			   left join (memberships sm join users s on s.id = sm.user_id) on sm.tenant_id = $1 and sm.user_id = p.subject_id
			   left join outlets o on o.tenant_id = $1 and o.id = p.subject_id
			   left join invitations i on i.tenant_id = $1 and i.id = p.subject_id
			  order by p.at desc, p.position desc`,
			[tenantId, at, limit + 1, from, to, actor?.toLowerCase() ?? null, action, position, about],
		),
	);
	return pageOf(rows, {
		limit,
		placeOf: ({ place_at, place_id }) => [place_at, place_id],
		toWire: ({ place_id: _, ...row }) => fromRow(row),
	});
}

/** A page of all audit rows, newest first, for the platform owner. */
export async function listAllAudit(db: Database, { after, limit }: Asked) {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row & { place_id: string }>(
			`select id, at, action, actor_user_id, nullif(tenant_id, '00000000-0000-0000-0000-000000000000') as tenant_id,
			   subject, before, after, ip, request_id, position::text as place_id,
			   (extract(epoch from at) * 1000000)::bigint::text as place_at
			   from audit_log
			  where $1::bigint is null
			     or (at, position) < (timestamptz 'epoch' + $1::bigint * interval '1 microsecond', $2::bigint)
			  order by at desc, position desc limit $3`,
			[after?.[0] ?? null, after?.[1] ?? null, limit + 1],
		),
	);
	return pageOf(rows, {
		limit,
		placeOf: ({ place_at, place_id }) => [place_at, place_id],
		toWire: ({ place_id: _, ...row }) => fromRow(row),
	});
}

function fromRow<R extends Row>({ place_at: _, at, ...row }: R) {
	return { ...row, at: at.toISOString() };
}
