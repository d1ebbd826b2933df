import { type Place, pageOf } from "@lango/chassis";
import type { AuditEntry } from "@lango/contracts";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import type { Origin } from "./origin.ts";

export type AuditRow = {
	/** None: it concerns the platform alone. */
	tenantId?: string | undefined;
	action: string;
	/** What was changed: its id, or an address of the service. */
	subject: string;
	before?: unknown;
	after?: unknown;
};

/**
 * Writes who did what; call it in the transaction of the change. `before` and `after` hold ids and settings, never a
 * name or an address of a person: rows outlive the people they are about.
 */
export async function recordAudit(tx: Database, origin: Origin, row: AuditRow): Promise<void> {
	await tx.query("select record_audit($1)", [
		{
			tenant_id: row.tenantId ?? null,
			at: origin.now,
			action: row.action,
			actor_user_id: origin.actorUserId ?? null,
			subject: row.subject,
			before: row.before ?? null,
			after: row.after ?? null,
			ip: origin.ip,
			request_id: origin.requestId,
		},
	]);
}

type Row = Omit<AuditEntry, "at"> & { at: Date; place_at: string };
type Asked = { after: Place | undefined; limit: number };

/** A page of a tenant's audit rows, the latest first. */
export async function listTenantAudit(
	db: Database,
	{ tenantId, after, limit }: Asked & { tenantId: string },
) {
	const rows = await inTenant(db, tenantId, (tx) =>
		tx.query<Row>(
			`select id, at, action, actor_user_id, tenant_id, subject, before, after, ip, request_id, position::text as place_at
			   from audit_log where tenant_id = $1 and ($2::bigint is null or position < $2)
			  order by position desc limit $3`,
			[tenantId, after?.[0] ?? null, limit + 1],
		),
	);
	return pageOf(rows, { limit, placeOf: ({ place_at, id }) => [place_at, id], toWire: fromRow });
}

/** A page of all audit rows, the latest first, for the platform owner. */
export async function listAllAudit(db: Database, { after, limit }: Asked) {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<Row>(
			`select id, at, action, actor_user_id, tenant_id, subject, before, after, ip, request_id, position::text as place_at
			   from audit_log where $1::bigint is null or position < $1
			  order by position desc limit $2`,
			[after?.[0] ?? null, limit + 1],
		),
	);
	return pageOf(rows, { limit, placeOf: ({ place_at, id }) => [place_at, id], toWire: fromRow });
}

function fromRow({ place_at: _, at, ...row }: Row): AuditEntry {
	return { ...row, at: at.toISOString() };
}
