import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { Journal } from "../ledger/journal.ts";
import { postJournals } from "../ledger/ledger.store.ts";
import {
	allocateSuspended,
	collectByCard,
	collectByPlatformShortcode,
	collectByTenantShortcode,
	suspendCard,
	suspendMobileMoney,
} from "../ledger/postings.ts";
import { type StoredIntent, updateIntent } from "../payments/intent.store.ts";
import { outstandingOf } from "../payments/intent.ts";
import { recordIntentChanged, recordIntentPaid } from "../payments/intent-events.ts";
import { recordPayment } from "../payments/payment.store.ts";
import { type NewReceipt, raiseAllocated, recordReceipt } from "../receipts/receipt.store.ts";
import { type Receipt, unallocatedOf } from "../receipts/receipt.ts";
import { recordReceiptUnallocated } from "../receipts/receipt-events.ts";
import { settleBills } from "../unapplied/settle-bills.ts";
import { unappliedOf } from "../unapplied/unapplied.store.ts";

/** A receipt to count. The intent that it names, if it names one, is locked. */
export type Counting = {
	tenantId: string;
	intent: StoredIntent | undefined;
	/** Without an id a new one is made. */
	receipt: Omit<NewReceipt, "tenantId" | "id" | "state" | "allocatedMinor" | "createdAt"> & {
		id: string | undefined;
	};
	evidenceId: string;
	now: Date;
};

/**
 * Records a receipt and posts it: to the intent as far as that is not paid, for the platform to what the
 * tenant has not used, and the rest to suspense. Money of another currency pays no intent. Call it inside
 * the tenant.
 */
export async function countReceipt(tx: Database, counting: Counting): Promise<void> {
	const { tenantId, evidenceId, now } = counting;
	const { id = uuidV7(now), ...received } = counting.receipt;
	const intent = counting.intent?.currency === received.currency ? counting.intent : undefined;
	const receipt = await recordReceipt(tx, {
		...{ ...received, tenantId, id, state: "verified", createdAt: now },
		allocatedMinor: allocatedOf(intent, received.amountMinor),
	});
	const journal: Journal = {
		...postingOf(receipt, intent?.payee),
		...{ source: { type: "receipt", id }, evidenceId, at: receipt.occurredAt },
	};
	if (intent?.payee !== "platform") {
		await postJournals(tx, tenantId, [journal]);
		if (intent !== undefined)
			await allocate(tx, { intent, receipt, amountMinor: receipt.allocatedMinor, id: uuidV7(now), now });
		if (unallocatedOf(receipt) > 0n) await recordReceiptUnallocated(tx, receipt, now);
		return;
	}
	const unappliedMinor = (await unappliedOf(tx, receipt.currency)) + receipt.amountMinor;
	const settling = { tenantId, preferredId: intent.id, receipt, unappliedMinor, evidenceId, now };
	await postJournals(tx, tenantId, [journal, ...(await settleBills(tx, settling))]);
}

function allocatedOf(intent: StoredIntent | undefined, amountMinor: bigint): bigint {
	if (intent === undefined) return 0n;
	return intent.payee === "platform" ? amountMinor : smaller(amountMinor, outstandingOf(intent));
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function postingOf(receipt: Receipt, payee: StoredIntent["payee"] | undefined) {
	const { shortcode, channel } = receipt;
	if (shortcode === null)
		return payee === undefined ? suspendCard(receipt) : collectByCard({ ...receipt, payee, channel });
	if (payee === undefined) return suspendMobileMoney({ ...receipt, shortcode, owner: receipt.custody });
	if (payee === "platform") return collectByPlatformShortcode({ ...receipt, shortcode });
	return collectByTenantShortcode({ ...receipt, shortcode });
}

type Allocation = { intent: StoredIntent; receipt: Receipt; amountMinor: bigint; id: string; now: Date };

/** Counts a part of a receipt as a payment of an intent of the tenant's own trade. */
async function allocate(tx: Database, { intent, receipt, amountMinor, id, now }: Allocation): Promise<void> {
	if (amountMinor === 0n) return;
	await recordPayment(tx, {
		...{ tenantId: intent.tenantId, id, intentId: intent.id, receiptId: receipt.id, amountMinor },
		feeMinor: receipt.feeMinor,
		pendingMinor: receipt.gateway === "card_gateway" ? amountMinor : 0n,
		createdAt: now,
	});
	const receivedMinor = intent.receivedMinor + amountMinor;
	const status = receivedMinor >= intent.amountMinor ? "succeeded" : "partially_paid";
	const changed = await updateIntent(tx, { ...intent, receivedMinor, status }, now);
	await recordIntentChanged(tx, changed, now);
	if (status === "succeeded") await recordIntentPaid(tx, { intent: changed, paymentId: id, receipt, now });
}

type Rest = { intent: StoredIntent; receipt: Receipt; evidenceId: string; now: Date };

/**
 * Allocates what lies in suspense of a shortcode to the intent that the receipt turns out to pay: a
 * confirmation of a till names no account and may come before the callback that does. Call it inside the
 * tenant.
 */
export async function allocateRest(tx: Database, { intent, receipt, evidenceId, now }: Rest): Promise<void> {
	const { tenantId, shortcode, currency } = receipt;
	const amountMinor = smaller(unallocatedOf(receipt), outstandingOf(intent));
	if (receipt.attemptId !== null || shortcode === null || intent.payee === "platform" || amountMinor === 0n)
		return;
	const id = uuidV7(now);
	const from = { shortcode, owner: receipt.custody };
	await postJournals(tx, tenantId, [
		{
			...allocateSuspended({ from, payee: "tenant", amountMinor, currency }),
			...{ source: { type: "payment", id }, evidenceId, at: now },
		},
	]);
	await raiseAllocated(tx, receipt.id, amountMinor);
	await allocate(tx, { intent, receipt, amountMinor, id, now });
}
