import type { Database } from "@lango/postgres";
import { findDispute, lockDisputeOf } from "../../disputes/dispute.store.ts";
import type { Dispute } from "../../disputes/dispute.ts";
import { lockReturnable } from "../../outcomes/refunds/lock-returnable.ts";

/** Locks a dispute, its receipt first, as every change of a dispute does. Call it inside the tenant. */
export async function lockDispute(tx: Database, id: string): Promise<Dispute | undefined> {
	const known = await findDispute(tx, id);
	if (known === undefined) return undefined;
	await lockReturnable(tx, known.tenantId, known.receiptId);
	return lockDisputeOf(tx, known.gatewayId);
}
