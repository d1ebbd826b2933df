import type { Database } from "@lango/postgres";

/** One line of the audit log. */
export type AuditLine = {
	id: bigint;
	tenant_id: string | null;
	occurred_at: Date;
	actor_kind: string;
	actor_id: string;
	action: string;
	subject: string;
	detail: Record<string, unknown>;
	request_id: string | null;
};

/** Removes a user's addresses from the audit log of every tenant. The rest of each line stays. */
export async function eraseAddresses(tx: Database, subject: string): Promise<void> {
	await tx.query("select erase_user($1)", [subject]);
}

const columns = "id, occurred_at, actor_kind, actor_id, action, subject, detail, request_id";

/** The audit log, latest first, of all tenants or one. Call it across tenants. */
export async function listAllAudit(
	tx: Database,
	{ tenantId, before, max }: { tenantId: string | undefined; before: bigint | undefined; max: number },
): Promise<AuditLine[]> {
	return tx.query<AuditLine>(
		`select id, tenant_id, occurred_at, actor_kind, actor_id, action, subject, detail, request_id
		   from (select tenant_id, ${columns} from audit_log
		         union all select null, ${columns} from platform_audit_log) entry
		  where ($1::uuid is null or tenant_id = $1) and ($2::bigint is null or id < $2)
		  order by id desc limit $3`,
		[tenantId ?? null, before ?? null, max],
	);
}
