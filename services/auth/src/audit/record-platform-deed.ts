import type { PlatformAction } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import { recordAudit } from "./audit.store.ts";

/** Writes what was decided about an event or a job that failed; call it in the transaction of the decision. */
export async function recordPlatformDeed(tx: Database, deed: PlatformAction): Promise<void> {
	const { actor, at, action, subject, detail, requestId, address } = deed;
	const actorUserId = actor.kind === "user" ? actor.id : undefined;
	const after = actorUserId === undefined ? { ...detail, by: actor.id } : detail;
	await recordAudit(tx, { actorUserId, ip: address, requestId, now: at }, { action, subject, after });
}
