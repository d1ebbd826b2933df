import type { Database } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import { estimateFee, type FeeChannel, feeChannels } from "../fees/fee.ts";
import { isTillOf } from "../gateways/shortcodes/tenant-gateway.store.ts";
import { toMinor } from "../money/amount.ts";
import type { Attempt, Channel } from "../payments/attempt.ts";
import type { StoredIntent } from "../payments/intent.store.ts";
import {
	bindReceipt,
	lockReceiptByNumber,
	lockReceiptsOfAttempt,
	lockSuspended,
	lockUnboundReceipts,
	numberReceipt,
	removeUnverified,
} from "../receipts/receipt.store.ts";
import { fitsPrompt, type Gateway, type Receipt } from "../receipts/receipt.ts";
import { allocateRest } from "./allocate-receipt.ts";
import { countReceipt } from "./count-receipt.ts";
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
 * joined by shortcode, amount, phone and time. An attempt has one receipt: a second one is a receipt of its
 * own.
 */
export async function collect(tx: Database, collection: Collection): Promise<void> {
	const { attempt, said } = collection;
	const own = await lockReceiptsOfAttempt(tx, attempt.id);
	const attemptId = own.length === 0 ? attempt.id : null;
	if (said.receipt === undefined) return attemptId === null ? undefined : collectUnnumbered(tx, collection);
	const known = await lockReceiptByNumber(tx, { gateway: gatewayOf(attempt), receipt: said.receipt });
	const unnumbered = own.find(({ receipt }) => receipt === null);
	if (known?.state === "verified") {
		if (unnumbered !== undefined) return raiseDuplicate(tx, collection, known);
		return attemptId === null
			? allocateRest(tx, { ...collection, receipt: known })
			: joinReceipt(tx, collection, known);
	}
	// What a sender who is not trusted said of it is replaced.
	if (known !== undefined) await removeUnverified(tx, known.id);
	if (unnumbered === undefined) return collectNew(tx, collection, attemptId);
	const { paidAt = unnumbered.occurredAt, payerMasked = null } = said;
	await numberReceipt(tx, { ...unnumbered, receipt: said.receipt, occurredAt: paidAt, payerMasked });
}

/**
 * Its receipt may be counted already: with the code of the intent, at a till without an account, or by an
 * answer about its number, which names neither account nor payer.
 */
async function collectUnnumbered(tx: Database, collection: Collection): Promise<void> {
	const { attempt, said, intent } = collection;
	const { shortcode } = attempt;
	const amountMinor = said.amountMinor ?? attempt.amountMinor;
	const named = await lockUnboundReceipts(tx, { accountRef: intent.accountCode, amountMinor });
	const fitting = named.find((one) => one.shortcode === shortcode && fitsPrompt(one, attempt));
	if (fitting !== undefined) return joinReceipt(tx, collection, fitting);
	const suspended = shortcode === null ? [] : await lockSuspendedAt(tx, { shortcode, amountMinor });
	const receipt = suspended.find((one) => fitsPrompt(one, attempt));
	return receipt === undefined
		? collectNew(tx, collection, attempt.id)
		: joinReceipt(tx, collection, receipt);
}

const lockSuspendedAt = async (tx: Database, money: { shortcode: string; amountMinor: bigint }) =>
	lockSuspended(tx, { ...money, isTill: await isTillOf(tx, money.shortcode) });

/** The money was counted before, and what of it lies in suspense pays the intent. */
async function joinReceipt(tx: Database, collection: Collection, receipt: Receipt): Promise<void> {
	await bindReceipt(tx, receipt.id, collection.attempt.id);
	await allocateRest(tx, { ...collection, receipt });
}

const gatewayOf = ({ channel }: Attempt): Gateway => (channel === "push" ? "mobile_money" : "card_gateway");

async function collectNew(tx: Database, collection: Collection, attemptId: string | null): Promise<void> {
	const { intent, attempt, said, evidenceId, now } = collection;
	const amountMinor = said.amountMinor ?? attempt.amountMinor;
	const isOwnCurrency = said.currency === intent.currency;
	const receipt = {
		...{ id: undefined, gateway: gatewayOf(attempt), receipt: said.receipt ?? null },
		...{ shortcode: attempt.shortcode, channel: attempt.channel, custody: attempt.custody },
		...{ amountMinor, currency: said.currency, occurredAt: said.paidAt ?? now },
		feeMinor: said.feeMinor ?? (isOwnCurrency ? feeOf(attempt.channel, amountMinor) : 0n),
		isFeeEstimated: said.feeMinor === undefined && gatewayOf(attempt) === "card_gateway",
		...{ accountRef: intent.accountCode, payerMasked: said.payerMasked ?? null, attemptId },
	};
	await raiseDifference(tx, collection, receipt);
	await countReceipt(tx, { tenantId: intent.tenantId, intent, receipt, evidenceId, now });
}

/** A checkout asks for one amount in one currency: the gateway has to explain less, or other money. */
async function raiseDifference(
	tx: Database,
	{ intent, attempt, now }: Collection,
	{
		amountMinor,
		currency,
		gateway,
		receipt,
	}: Pick<Receipt, "amountMinor" | "currency" | "gateway" | "receipt">,
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

/** A query and a confirmation of one payment were counted apart: its callback shows that they are one. */
async function raiseDuplicate(
	tx: Database,
	{ intent, attempt, now }: Collection,
	{ receipt, amountMinor, currency, occurredAt }: Receipt,
): Promise<void> {
	await raiseException(tx, {
		...{ class: "duplicate", subject: attempt.reference, amountMinor, currency, now },
		ours: {
			...{ tenant_id: intent.tenantId, intent_id: intent.id, attempt_id: attempt.id },
			...{ amount_minor: toMinor(attempt.amountMinor), currency: intent.currency },
		},
		theirs: { receipt, amount_minor: toMinor(amountMinor), currency, occurred_at: occurredAt.toISOString() },
	});
}

/** The card gateway charges for its channels; money through a shortcode bears no fee here. */
const feeOf = (channel: Channel, amountMinor: bigint): bigint =>
	isFeeChannel(channel) ? estimateFee(amountMinor, channel) : 0n;

const isFeeChannel = (channel: Channel): channel is FeeChannel =>
	(feeChannels as readonly string[]).includes(channel);
