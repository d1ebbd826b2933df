import { type Database, inTenant } from "@lango/postgres";

/** The actor of an audit entry. */
export type Actor = { kind: "user" | "client" | "key" | "system"; id: string };

/** An audit entry: the actor, the action, the subject, the values before and after, and the origin. */
export type AuditEntry = {
	/** Undefined for the platform itself. */
	tenantId: string | undefined;
	at: Date;
	actor: Actor;
	/** A dotted word such as `config.changed`. */
	action: string;
	subject: string;
	detail: Readonly<Record<string, unknown>>;
	requestId?: string;
	/** The network address of the request. */
	address?: string;
};

/**
 * Adds an entry to the audit log, in the current transaction if there is one, so that the change and its
 * entry commit together.
 */
export async function recordAudit(db: Database, entry: AuditEntry): Promise<void> {
	const { tenantId, at, actor, action, subject, detail, requestId = null, address = null } = entry;
	const content = [at, actor.kind, actor.id, action, subject, JSON.stringify(detail), requestId, address];
	if (tenantId === undefined)
		await db.query(
			`insert into platform_audit_log (occurred_at, actor_kind, actor_id, action, subject, detail, request_id, address)
			 values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			content,
		);
	else
		await inTenant(db, tenantId, (tx) =>
			tx.query(
				`insert into audit_log (occurred_at, actor_kind, actor_id, action, subject, detail, request_id, address, tenant_id)
				 values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
				[...content, tenantId],
			),
		);
}
