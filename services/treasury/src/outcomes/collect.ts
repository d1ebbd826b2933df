import type { Database } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import { estimateFee, type FeeChannel, feeChannels } from "../fees/fee.ts";
import { toMinor } from "../money/amount.ts";
import type { Attempt, Channel } from "../payments/attempt.ts";
import type { StoredIntent } from "../payments/intent.store.ts";
import {
	bindReceipt,
	lockReceiptByNumber,
	lockReceiptsOfAttempt,
	lockUnboundReceipts,
	numberReceipt,
	removeUnverified,
} from "../receipts/receipt.store.ts";
import { fitsPhone, type Gateway, type Receipt } from "../receipts/receipt.ts";
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
	if (known?.state === "verified") {
		await bindReceipt(tx, known.id, attempt.id);
		return allocateRest(tx, { ...collection, receipt: known });
	}
	// What a sender who is not trusted said of it is replaced.
	if (known !== undefined) await removeUnverified(tx, known.id);
	const unnumbered = own.find(({ receipt }) => receipt === null);
	if (unnumbered === undefined) return collectNew(tx, collection);
	const { paidAt = unnumbered.occurredAt, payerMasked = null } = said;
	await numberReceipt(tx, { ...unnumbered, receipt: said.receipt, occurredAt: paidAt, payerMasked });
}

const gatewayOf = ({ channel }: Attempt): Gateway => (channel === "push" ? "mobile_money" : "card_gateway");

async function collectNew(tx: Database, collection: Collection): Promise<void> {
	const { intent, attempt, said, evidenceId, now } = collection;
	const amountMinor = said.amountMinor ?? attempt.amountMinor;
	const isOwnCurrency = said.currency === intent.currency;
	const receipt = {
		...{ id: undefined, gateway: gatewayOf(attempt), receipt: said.receipt ?? null },
		...{ shortcode: attempt.shortcode, channel: attempt.channel, custody: attempt.custody },
		...{ amountMinor, currency: said.currency, occurredAt: said.paidAt ?? now },
		feeMinor: said.feeMinor ?? (isOwnCurrency ? feeOf(attempt.channel, amountMinor) : 0n),
		isFeeEstimated: said.feeMinor === undefined && gatewayOf(attempt) === "card_gateway",
		...{ accountRef: intent.accountCode, payerMasked: said.payerMasked ?? null, attemptId: attempt.id },
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

/** The card gateway charges for its channels; money through a shortcode bears no fee here. */
const feeOf = (channel: Channel, amountMinor: bigint): bigint =>
	isFeeChannel(channel) ? estimateFee(amountMinor, channel) : 0n;

const isFeeChannel = (channel: Channel): channel is FeeChannel =>
	(feeChannels as readonly string[]).includes(channel);
