import { type Actor, recordAudit } from "@lango/access";
import { actorOf, callerOf, originOf as requestOriginOf } from "@lango/chassis";
import type { Database } from "@lango/postgres";

/** The actor of a change, with the request and the address. */
export type Origin = { actor: Actor; requestId: string; address: string };

/** The origin of a request. */
export const originOf = (request: Parameters<typeof callerOf>[0]): Origin => ({
	actor: actorOf(callerOf(request)),
	...requestOriginOf(request),
});

export type AuditEntry = {
	/** Undefined: the catalogue, which all tenants share. */
	tenantId?: string;
	/** A dotted name, such as `plan_version.made`. */
	action: string;
	subject: string;
	detail: Readonly<Record<string, unknown>>;
	at: Date;
};

/** Writes the audit log in the transaction of the change. */
export async function recordAuditEntry(
	tx: Database,
	origin: Origin,
	{ tenantId, ...entry }: AuditEntry,
): Promise<void> {
	await recordAudit(tx, { ...origin, ...entry, tenantId });
}
