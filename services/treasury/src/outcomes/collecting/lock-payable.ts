import type { Database } from "@lango/postgres";
import { findIntent, lockIntent, type StoredIntent } from "../../payments/intent.store.ts";
import type { Payee } from "../../payments/intent.ts";
import { lockBillsOf } from "../../unapplied/unapplied.store.ts";

/**
 * Locks in the order that every change of money takes: the tenant's bills, then the intent; undefined if
 * it does not exist. Attempts and receipts come after it. Call it inside the tenant.
 */
export async function lockPayable(
	tx: Database,
	{
		tenantId,
		intentId,
		payee,
		isForBills = false,
	}: {
		tenantId: string;
		intentId: string | undefined;
		/** Undefined: it is looked up. */
		payee?: Payee | undefined;
		isForBills?: boolean;
	},
): Promise<StoredIntent | undefined> {
	if (isForBills) await lockBillsOf(tx, tenantId);
	if (intentId === undefined) return undefined;
	const payeeOf = payee ?? (await findIntent(tx, intentId))?.payee;
	if (payeeOf === "platform") await lockBillsOf(tx, tenantId);
	return lockIntent(tx, intentId);
}
