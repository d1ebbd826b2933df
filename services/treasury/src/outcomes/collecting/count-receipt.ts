import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { postJournals } from "../../ledger/ledger.store.ts";
import {
	collectByCard,
	collectByPlatformShortcode,
	collectByTenantShortcode,
	suspendCard,
	suspendMobileMoney,
} from "../../ledger/postings/collecting.ts";
import type { Journal } from "../../ledger/postings/posting.ts";
import { smaller } from "../../money/amount.ts";
import { type StoredIntent, updateIntent } from "../../payments/intent.store.ts";
import { outstandingOf } from "../../payments/intent.ts";
import { recordIntentChanged, recordIntentPaid } from "../../payments/intent-events.ts";
import { recordPayment } from "../../payments/payment.store.ts";
import { type NewReceipt, recordReceipt } from "../../receipts/receipt.store.ts";
import { type Receipt, unallocatedOf } from "../../receipts/receipt.ts";
import { recordReceiptUnallocated } from "../../receipts/receipt-events.ts";
import { settleBills } from "../../unapplied/settle-bills.ts";
import { unappliedOf } from "../../unapplied/unapplied.store.ts";
import { planExcess } from "../refunds/plan-excess.ts";

type DecidedHere = "allocatedMinor" | "platformMinor" | "isFeePassedOn";

/** A receipt to count. The intent that it names, if it names one, is locked. */
export type Counting = {
	tenantId: string;
	intent: StoredIntent | undefined;
	/** Whether it pays the tenant's bills, and names none. */
	isForBills?: boolean;
	/** Without an id a new one is made. */
	receipt: Omit<NewReceipt, "tenantId" | "id" | "state" | "createdAt" | DecidedHere> & {
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
	const payee = counting.isForBills === true ? "platform" : intent?.payee;
	const receipt = await recordReceipt(tx, {
		...{ ...received, tenantId, id, state: "verified", createdAt: now },
		allocatedMinor: payee === "platform" ? received.amountMinor : allocatedOf(intent, received.amountMinor),
		platformMinor: payee === "platform" ? received.amountMinor : 0n,
		isFeePassedOn: payee === "tenant" && received.gateway === "card_gateway",
	});
	const journal: Journal = {
		...postingOf(receipt, payee),
		...{ source: { type: "receipt", id }, evidenceId, at: receipt.occurredAt },
	};
	if (payee !== "platform") {
		await postJournals(tx, tenantId, [journal]);
		const { allocatedMinor: amountMinor, feeMinor } = receipt;
		if (intent !== undefined && amountMinor > 0n)
			await allocate(tx, { intent, receipt, amountMinor, feeMinor, id: uuidV7(now), now });
		return suspendRest(tx, receipt, { intent, now });
	}
	const unappliedMinor = (await unappliedOf(tx, receipt.currency)) + receipt.amountMinor;
	const settling = { tenantId, preferredId: intent?.id, receipt, unappliedMinor, evidenceId, now };
	await postJournals(tx, tenantId, [journal, ...(await settleBills(tx, settling))]);
}

type Resting = { intent: StoredIntent | undefined; now: Date };

/** Publishes what pays nothing yet. What exceeds a request may be returned by itself. */
async function suspendRest(tx: Database, receipt: Receipt, { intent, now }: Resting): Promise<void> {
	if (unallocatedOf(receipt) === 0n) return;
	await recordReceiptUnallocated(tx, receipt, now);
	if (intent !== undefined) await planExcess(tx, receipt);
}

const allocatedOf = (intent: StoredIntent | undefined, amountMinor: bigint): bigint =>
	intent === undefined ? 0n : smaller(amountMinor, outstandingOf(intent));

function postingOf(receipt: Receipt, payee: StoredIntent["payee"] | undefined) {
	const { shortcode, channel } = receipt;
	if (shortcode === null)
		return payee === undefined ? suspendCard(receipt) : collectByCard({ ...receipt, payee, channel });
	if (payee === undefined) return suspendMobileMoney({ ...receipt, shortcode, owner: receipt.custody });
	if (payee === "platform") return collectByPlatformShortcode({ ...receipt, shortcode });
	return collectByTenantShortcode({ ...receipt, shortcode });
}

type Allocation = {
	intent: StoredIntent;
	receipt: Receipt;
	amountMinor: bigint;
	/** The first payment of a receipt bears its fee. */
	feeMinor: bigint;
	id: string;
	now: Date;
};

/**
 * Counts a part of a receipt as a payment of an intent of the tenant's own trade. Call it inside the
 * tenant.
 */
export async function allocate(tx: Database, allocation: Allocation): Promise<void> {
	const { intent, receipt, amountMinor, feeMinor, id, now } = allocation;
	await recordPayment(tx, {
		...{ tenantId: intent.tenantId, id, intentId: intent.id, receiptId: receipt.id, amountMinor },
		...{ feeMinor, pendingMinor: isPending(receipt) ? amountMinor : 0n },
		createdAt: now,
	});
	const receivedMinor = intent.receivedMinor + amountMinor;
	const status = receivedMinor >= intent.amountMinor ? "succeeded" : "partially_paid";
	const changed = await updateIntent(tx, { ...intent, receivedMinor, status }, now);
	await recordIntentChanged(tx, changed, now);
	if (status === "succeeded") await recordIntentPaid(tx, { intent: changed, paymentId: id, receipt, now });
}

/** Money of the card gateway is available once it is settled. */
const isPending = ({ gateway, settledAt }: Receipt): boolean =>
	gateway === "card_gateway" && settledAt === null;
