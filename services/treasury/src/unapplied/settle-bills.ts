import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { applyToOperation } from "../ledger/postings/collecting.ts";
import type { Journal } from "../ledger/postings/posting.ts";
import { lockPayableBills, type StoredIntent, updateIntent } from "../payments/intent.store.ts";
import { recordIntentChanged, recordIntentPaid } from "../payments/intent-events.ts";
import { recordPayment } from "../payments/payment.store.ts";
import type { Receipt } from "../receipts/receipt.ts";

export type Settling = {
	tenantId: string;
	/** The intent that the money names, or that a person starts to pay. */
	preferredId: string | undefined;
	/** What the tenant has paid to the platform and not used, with what this transaction adds. */
	unappliedMinor: bigint;
	/** The receipt that brought the money. */
	receipt: Receipt;
	evidenceId: string;
	now: Date;
};

/** These are paid without a person: what is left over pays them, the first asked first. */
const automatic = ["renewal", "overage"];

/**
 * Pays bills of a tenant with what it has paid to the platform and not used yet: the intent that the
 * money names first, then renewals and overages. An intent is paid once, in full, by one payment of
 * exactly its amount; what does not cover one stays unapplied. Returns the journals, which the caller
 * posts with its own. Call it inside the tenant, after `lockBillsOf`.
 */
export async function settleBills(tx: Database, settling: Settling): Promise<Journal[]> {
	const { preferredId, receipt } = settling;
	const { currency } = receipt;
	const bills = await lockPayableBills(tx, { currency, kinds: automatic, preferredId });
	const inOrder = [
		...bills.filter(({ id }) => id === preferredId),
		...bills.filter(({ id }) => id !== preferredId),
	];
	let unused = settling.unappliedMinor;
	const journals: Journal[] = [];
	for (const bill of inOrder) {
		if (bill.amountMinor > unused) continue;
		journals.push(await payBill(tx, bill, settling));
		unused -= bill.amountMinor;
	}
	return journals;
}

async function payBill(tx: Database, bill: StoredIntent, settling: Settling): Promise<Journal> {
	const { receipt, evidenceId, now } = settling;
	const { tenantId, id: intentId, amountMinor, currency } = bill;
	const id = uuidV7(now);
	await recordPayment(tx, {
		...{ tenantId, id, intentId, receiptId: receipt.id, amountMinor, feeMinor: 0n, pendingMinor: 0n },
		createdAt: now,
	});
	const changed = await updateIntent(tx, { ...bill, receivedMinor: amountMinor, status: "succeeded" }, now);
	await recordIntentChanged(tx, changed, now);
	await recordIntentPaid(tx, { intent: changed, paymentId: id, receipt, now });
	return {
		...applyToOperation({ amountMinor, currency }),
		...{ source: { type: "payment", id }, evidenceId, at: now },
	};
}
