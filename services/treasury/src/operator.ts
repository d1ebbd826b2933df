import { type AuditEntry, recordAudit } from "@lango/access";
import { actorOf, callerOf, originOf } from "@lango/chassis";
import type { Database } from "@lango/postgres";

/** The operator of a request, for the audit log. */
export type Operator = Pick<AuditEntry, "actor" | "requestId" | "address">;

/** Returns the operator of a request. */
export const operatorOf = (
	request: Parameters<typeof originOf>[0] & Parameters<typeof callerOf>[0],
): Operator => ({
	actor: actorOf(callerOf(request)),
	...originOf(request),
});

/** Records an action in the audit log: of the platform, or of the tenant that it changes. */
export const auditAction = (
	tx: Database,
	by: Operator,
	{ tenantId, ...entry }: Omit<AuditEntry, keyof Operator | "tenantId"> & { tenantId?: string },
): Promise<void> => recordAudit(tx, { tenantId, ...by, ...entry });
