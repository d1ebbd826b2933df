import type { PlatformAction } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { recordAudit } from "./audit.store.ts";

/** Records an operator's decision about a dead event or job; call it in the transaction of the decision. */
export async function recordPlatformAction(tx: Database, row: PlatformAction): Promise<void> {
	const { actor, at, action, subject, detail, requestId, address } = row;
	const actorUserId = actor.kind === "user" ? actor.id : undefined;
	const after = actorUserId === undefined ? { ...detail, by: actor.id } : detail;
	await recordAudit(tx, { actorUserId, ip: address, requestId, now: at }, { action, subject, after });
}
