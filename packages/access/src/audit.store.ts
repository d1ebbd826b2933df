import { type Database, inTenant } from "@lango/postgres";

/** Who did something. */
export type Actor = { kind: "user" | "client" | "key" | "system"; id: string };

/** One line of the record: who did what to what, what was before and after, and from where. */
export type AuditEntry = {
	/** Undefined: about the platform itself. */
	tenantId: string | undefined;
	at: Date;
	actor: Actor;
	/** A dotted word, such as `config.changed`. */
	action: string;
	subject: string;
	detail: Readonly<Record<string, unknown>>;
	requestId?: string;
	/** The address the request came from. */
	address?: string;
};

/** Adds a line to the audit log, in the transaction under way when there is one: what is not recorded did not happen. */
export async function recordAudit(db: Database, entry: AuditEntry): Promise<void> {
	const { tenantId, at, actor, action, subject, detail, requestId = null, address = null } = entry;
	const write = (tx: Database) =>
		tx.query(
			`insert into audit_log (tenant_id, occurred_at, actor_kind, actor_id, action, subject, detail, request_id, address)
			 values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			[
				tenantId ?? null,
				at,
				actor.kind,
				actor.id,
				action,
				subject,
				JSON.stringify(detail),
				requestId,
				address,
			],
		);
	if (tenantId === undefined) await write(db);
	else await inTenant(db, tenantId, write);
}
