import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import { estimateFee, type FeeChannel, feeChannels } from "../fees/fee.ts";
import type { Journal } from "../ledger/journal.ts";
import { postJournals } from "../ledger/ledger.store.ts";
import {
	collectByCard,
	collectByPlatformShortcode,
	collectByTenantShortcode,
	suspendCard,
} from "../ledger/postings.ts";
import { toMinor } from "../money/amount.ts";
import type { Attempt, Channel } from "../payments/attempt.ts";
import { type StoredIntent, updateIntent } from "../payments/intent.store.ts";
import { outstandingOf } from "../payments/intent.ts";
import { recordIntentChanged, recordIntentPaid } from "../payments/intent-events.ts";
import { recordPayment } from "../payments/payment.store.ts";
import {
	bindReceipt,
	lockReceiptByNumber,
	lockReceiptsOfAttempt,
	lockUnboundReceipts,
	numberReceipt,
	recordReceipt,
} from "../receipts/receipt.store.ts";
import type { Gateway, Receipt } from "../receipts/receipt.ts";
import { settleBills } from "../unapplied/settle-bills.ts";
import { unappliedOf } from "../unapplied/unapplied.store.ts";
import type { Paid } from "./evidence.ts";

/** Money that a gateway says an attempt collected. The intent and the attempt are locked. */
export type Collection = {
	intent: StoredIntent;
	attempt: Attempt;
	said: Paid;
	evidenceId: string;
	now: Date;
};

/**
 * Counts the money of an attempt: one journal for each movement. A payment may arrive by several routes
 * (a callback, a confirmation, a query). Their receipt number joins them; a query names none, and is
 * joined by attempt, amount and phone.
 */
export async function collect(tx: Database, collection: Collection): Promise<void> {
	const { attempt, said, intent } = collection;
	const own = await lockReceiptsOfAttempt(tx, attempt.id);
	if (said.receipt === undefined) {
		if (own.length > 0) return;
		const amountMinor = said.amountMinor ?? attempt.amountMinor;
		const unbound = await lockUnboundReceipts(tx, { accountRef: intent.accountCode, amountMinor });
		const fitting = unbound.find((receipt) => fitsPhone(receipt, attempt));
		return fitting === undefined ? collectNew(tx, collection) : bindReceipt(tx, fitting.id, attempt.id);
	}
	const known = await lockReceiptByNumber(tx, { gateway: gatewayOf(attempt), receipt: said.receipt });
	if (known !== undefined) return bindReceipt(tx, known.id, attempt.id);
	const unnumbered = own.find(({ receipt }) => receipt === null);
	if (unnumbered === undefined) return collectNew(tx, collection);
	const { paidAt = unnumbered.occurredAt, payerMasked = null } = said;
	await numberReceipt(tx, { ...unnumbered, receipt: said.receipt, occurredAt: paidAt, payerMasked });
}

/** Gateways mask numbers differently: the last three digits are always shown. */
const fitsPhone = ({ payerMasked }: Receipt, { phone }: Attempt): boolean =>
	payerMasked === null || phone === null || payerMasked.slice(-3) === phone.slice(-3);

const gatewayOf = ({ channel }: Attempt): Gateway => (channel === "push" ? "mobile_money" : "card_gateway");

async function collectNew(tx: Database, collection: Collection): Promise<void> {
	const { intent, attempt, said, evidenceId, now } = collection;
	const { tenantId, payee } = intent;
	const amountMinor = said.amountMinor ?? attempt.amountMinor;
	const isOwnCurrency = said.currency === intent.currency;
	const feeMinor = said.feeMinor ?? (isOwnCurrency ? feeOf(attempt.channel, amountMinor) : 0n);
	const allocatedMinor = isOwnCurrency ? allocatableOf(intent, amountMinor) : 0n;
	const receipt = await recordReceipt(tx, {
		...{ tenantId, id: uuidV7(now), gateway: gatewayOf(attempt), receipt: said.receipt ?? null },
		...{ shortcode: attempt.shortcode, channel: attempt.channel, custody: attempt.custody },
		...{ amountMinor, currency: said.currency, feeMinor, occurredAt: said.paidAt ?? now },
		...{ accountRef: intent.accountCode, payerMasked: said.payerMasked ?? null, state: "verified" },
		...{ allocatedMinor, attemptId: attempt.id, createdAt: now },
	});
	await raiseDifference(tx, collection, receipt);
	const journal: Journal = {
		...(isOwnCurrency ? postingOf(receipt, payee) : suspendCard(receipt)),
		...{ source: { type: "receipt", id: receipt.id }, evidenceId, at: receipt.occurredAt },
	};
	if (payee === "tenant" || !isOwnCurrency) {
		await postJournals(tx, tenantId, [journal]);
		return allocate(tx, { intent, receipt, amountMinor: allocatedMinor, now });
	}
	const unappliedMinor = (await unappliedOf(tx, receipt.currency)) + amountMinor;
	const settling = { tenantId, preferredId: intent.id, receipt, unappliedMinor, evidenceId, now };
	await postJournals(tx, tenantId, [journal, ...(await settleBills(tx, settling))]);
}

/** All money for the platform is the tenant's to use; excess of a tenant's intent is not allocated. */
const allocatableOf = (intent: StoredIntent, amountMinor: bigint): bigint =>
	intent.payee === "platform" ? amountMinor : smaller(amountMinor, outstandingOf(intent));

/** A checkout asks for one amount in one currency: the gateway has to explain less, or other money. */
async function raiseDifference(
	tx: Database,
	{ intent, attempt, now }: Collection,
	{ amountMinor, currency, gateway, receipt }: Receipt,
): Promise<void> {
	if (gateway !== "card_gateway") return;
	const isOther = currency !== intent.currency;
	if (!isOther && amountMinor >= attempt.amountMinor) return;
	await raiseException(tx, {
		...{ class: isOther ? "currency" : "amount", subject: attempt.reference, amountMinor, currency, now },
		ours: {
			...{ tenant_id: intent.tenantId, intent_id: intent.id, attempt_id: attempt.id },
			...{ amount_minor: toMinor(attempt.amountMinor), currency: intent.currency },
		},
		theirs: { receipt, amount_minor: toMinor(amountMinor), currency },
	});
}

/** The card gateway charges for its channels; money through a shortcode bears no fee here. */
const feeOf = (channel: Channel, amountMinor: bigint): bigint =>
	isFeeChannel(channel) ? estimateFee(amountMinor, channel) : 0n;

const isFeeChannel = (channel: Channel): channel is FeeChannel =>
	(feeChannels as readonly string[]).includes(channel);

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function postingOf(receipt: Receipt, payee: StoredIntent["payee"]) {
	const { shortcode, channel } = receipt;
	if (shortcode === null) return collectByCard({ ...receipt, payee, channel });
	if (payee === "platform") return collectByPlatformShortcode({ ...receipt, shortcode });
	return collectByTenantShortcode({ ...receipt, shortcode });
}

type Allocation = { intent: StoredIntent; receipt: Receipt; amountMinor: bigint; now: Date };

/** Counts a part of a receipt as a payment of an intent of the tenant's own trade. */
async function allocate(tx: Database, { intent, receipt, amountMinor, now }: Allocation): Promise<void> {
	if (amountMinor === 0n) return;
	const id = uuidV7(now);
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
