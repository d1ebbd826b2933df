import { type Actor, recordAudit } from "@lango/access";
import { callerOf } from "@lango/chassis";
import type { Database } from "@lango/postgres";

/** Who makes a change, and from where. */
export type Origin = { actor: Actor; requestId: string; address: string };

/** The origin of what a request changes. */
export function originOf(request: Parameters<typeof callerOf>[0]): Origin {
	const caller = callerOf(request);
	const actor: Actor =
		caller.kind === "user"
			? { kind: "user", id: caller.userId }
			: caller.kind === "key"
				? { kind: "key", id: caller.keyId }
				: { kind: "client", id: caller.clientId };
	return { actor, requestId: request.id, address: request.ip };
}

export type AuditEntry = {
	/** Undefined: of the catalogue, which is the same for all. */
	tenantId?: string;
	/** A dotted word, such as `plan_version.made`. */
	action: string;
	subject: string;
	detail: Readonly<Record<string, unknown>>;
	at: Date;
};

/** Writes who did what, in the transaction of the change. */
export async function recordAuditEntry(
	tx: Database,
	origin: Origin,
	{ tenantId, ...entry }: AuditEntry,
): Promise<void> {
	await recordAudit(tx, { ...origin, ...entry, tenantId });
}
