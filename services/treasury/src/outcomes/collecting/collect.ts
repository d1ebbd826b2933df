import type { Database } from "@lango/postgres";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { estimateFee, isFeeChannel } from "../../fees/fee.ts";
import { toMinor } from "../../money/amount.ts";
import type { Attempt, Channel } from "../../payments/attempt.ts";
import type { StoredIntent } from "../../payments/intent.store.ts";
import type { Located } from "../../payments/locator.store.ts";
import { lockGuesses } from "../../receipts/fitting-receipt.store.ts";
import {
	bindReceipt,
	lockReceiptByNumber,
	lockReceiptsOfAttempt,
	numberReceipt,
	removeNumber,
	removeUnverified,
} from "../../receipts/receipt.store.ts";
import type { Gateway, Receipt } from "../../receipts/receipt.ts";
import { findAccountSaid } from "../evidence/evidence.store.ts";
import type { Paid } from "../evidence/evidence.ts";
import { allocateRest } from "./allocate-receipt.ts";
import { countConfirmed } from "./collect-receipt.ts";
import { takeFee } from "./correct-fee.ts";
import { countReceipt } from "./count-receipt.ts";
import { freeNumber, isGuessed, isNumbered, type Numbered } from "./free-number.ts";
import { listFitting } from "./list-fitting.ts";
import { type CountedTwice, mergeReceipts } from "./merge-receipts.ts";
import { raiseUsed, takeCounted } from "./take-counted.ts";

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
 * joined by shortcode, amount, phone and time: a guess, which gives way to what is said of a number later.
 * An attempt has one receipt: a second one is a receipt of its own.
 */
export async function collect(tx: Database, collection: Collection): Promise<void> {
	const { attempt, said } = collection;
	if (attempt.shortcode !== null && said.receipt !== undefined)
		await lockGuesses(tx, { attemptId: attempt.id, receipt: said.receipt });
	const own = await lockReceiptsOfAttempt(tx, attempt.id);
	if (said.receipt !== undefined) return collectNumbered(tx, { ...collection, own }, said.receipt);
	if (own.length === 0) await collectUnnumbered(tx, collection);
}

type Numbering = Collection & { own: readonly Receipt[] };

async function collectNumbered(tx: Database, numbering: Numbering, number: string): Promise<void> {
	const { attempt, own, intent, said, now } = numbering;
	const elsewhere = await takePlatformMoney(tx, numbering, number);
	if (elsewhere !== undefined) {
		const { tenantId, id: intentId } = intent;
		const { amountMinor = attempt.amountMinor, currency } = said;
		return raiseUsed(tx, { tenantId, intentId, receipt: number, elsewhere, amountMinor, currency, now });
	}
	const found = await lockReceiptByNumber(tx, { gateway: gatewayOf(attempt), receipt: number });
	if (found?.state !== "verified") {
		// What a sender who is not trusted said of it is replaced.
		if (found !== undefined) await removeUnverified(tx, found.id);
		return collectUnknown(tx, numbering, number);
	}
	if (found.attemptId === attempt.id) return takeFee(tx, found, numbering);
	if (!isNumbered(found) || found.attemptId === null) return collectKnown(tx, numbering, found);
	if (!(await isGuessed(tx, found))) return raiseDuplicate(tx, numbering, found);
	const known = await freeNumber(tx, { taken: found, own: own[0], intent, now });
	await (known === undefined ? collectUnknown(tx, numbering, number) : collectKnown(tx, numbering, known));
}

/**
 * The confirmation of a prompt came first, and named no intent: the platform has another shortcode since the
 * prompt. Returns where the number is counted if it stays in another tenant.
 */
async function takePlatformMoney(
	tx: Database,
	{ attempt, intent: { tenantId } }: Numbering,
	receipt: string,
): Promise<Located | undefined> {
	if (attempt.shortcode === null || attempt.custody !== "platform") return undefined;
	return takeCounted(tx, { tenantId, receipt });
}

/** No receipt has the number. */
async function collectUnknown(tx: Database, numbering: Numbering, number: string): Promise<void> {
	const { attempt, own, said } = numbering;
	const [first] = own;
	if (first === undefined) return collectNew(tx, numbering, attempt.id);
	if (isNumbered(first) && !(await isGuessed(tx, first))) return collectNew(tx, numbering, null);
	const { paidAt: occurredAt = first.occurredAt, payerMasked = null } = said;
	if (isNumbered(first)) await removeNumber(tx, first.id);
	await numberReceipt(tx, { ...first, receipt: number, occurredAt, payerMasked });
	if (isNumbered(first)) await countApart(tx, numbering, first);
}

/** The confirmation that the receipt of the attempt had by a guess is of other money. */
async function countApart(tx: Database, numbering: Numbering, guessed: Numbered): Promise<void> {
	const { intent, evidenceId, now } = numbering;
	const { tenantId, id, receipt, shortcode, custody, amountMinor, currency, payerMasked } = guessed;
	if (shortcode === null) throw new Error("a receipt of the card gateway was joined by a guess");
	const accountRef = await findAccountSaid(tx, id, receipt);
	const isNamed = accountRef === intent.accountCode;
	await countConfirmed(tx, {
		...{ tenantId, intent: isNamed ? intent : undefined, evidenceId, now },
		money: {
			...{ receipt, shortcode, custody, amountMinor, currency, accountRef, payerMasked },
			paidAt: guessed.occurredAt,
		},
	});
}

/** A receipt that no other attempt has is known by the number. */
async function collectKnown(tx: Database, numbering: Numbering, known: Receipt): Promise<void> {
	const { own, attempt } = numbering;
	const [first] = own;
	if (known.attemptId === attempt.id) return;
	if (known.isDuplicate) return raiseDuplicate(tx, numbering, known);
	if (first === undefined) return joinReceipt(tx, numbering, known);
	if (first.receipt === null) return mergeOrRaise(tx, numbering, { unnumbered: first, known });
	await allocateRest(tx, { ...numbering, receipt: known });
}

/** Something of the second one may be used: the platform owner has to decide. */
async function mergeOrRaise(tx: Database, collection: Collection, twice: CountedTwice): Promise<void> {
	if (!(await mergeReceipts(tx, twice, collection))) await raiseDuplicate(tx, collection, twice.known);
}

/** Its receipt may be counted already. */
async function collectUnnumbered(tx: Database, collection: Collection): Promise<void> {
	const { attempt, said, intent, now } = collection;
	const amountMinor = said.amountMinor ?? attempt.amountMinor;
	const [receipt] = await listFitting(tx, { attempt, intent, amountMinor, now });
	await (receipt === undefined
		? collectNew(tx, collection, attempt.id)
		: joinReceipt(tx, collection, receipt));
}

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

/** Money was counted by two receipts, or one is said of two attempts: the platform owner has to decide. */
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
export const feeOf = (channel: Channel, amountMinor: bigint): bigint =>
	isFeeChannel(channel) ? estimateFee(amountMinor, channel) : 0n;
