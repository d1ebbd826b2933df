import type { Database } from "@lango/postgres";
import { findIntent, lockIntent, type StoredIntent } from "../../payments/intent.store.ts";
import type { Payee } from "../../payments/intent.ts";
import { lockBillsOf } from "../../unapplied/unapplied.store.ts";

/**
 * Locks in the order that every change of money takes: the tenant's bills, then the intent; undefined if
 * it does not exist. After it come attempts, the counter of an amount at a shortcode (`lockCounter`),
 * receipts with their numbers and payments, lines of settlements, exceptions, what is available
 * (`lockAvailable`), and accounts of the ledger. Intents and attempts are locked `for no key update`:
 * PostgreSQL checks the foreign keys of a row again that a transaction changes twice, so that it reads an
 * intent after its receipt. Call it inside the tenant.
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
