import type { Database } from "@lango/postgres";
import { lockOperation } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { lockBillsOf } from "../unapplied/unapplied.store.ts";
import { cancelBill } from "./ask-for-bill.ts";
import { recordWithdrawn } from "./withdrawn.store.ts";

export type Withdrawn = { tenantId: string; sourceService: string; operationId: string };

/**
 * Cancels the bill of an operation that its service closed. It also holds for one that is asked for only
 * afterwards, because events of two subjects may come in any order. Call it inside the tenant.
 */
export async function withdrawBill(tx: Database, withdrawn: Withdrawn, now: Date): Promise<void> {
	const { tenantId, ...operation } = withdrawn;
	await lockBillsOf(tx, tenantId);
	await recordWithdrawn(tx, withdrawn, now);
	const intent = await lockOperation(tx, operation);
	if (intent !== undefined && isOpen(intent)) await cancelBill(tx, intent, now);
}
