import type { Database } from "@lango/postgres";
import { findAttempt } from "../../payments/attempt.store.ts";
import { findIntent, type StoredIntent } from "../../payments/intent.store.ts";
import { findReceipt, lockReceipt, numberReceipt, removeNumber } from "../../receipts/receipt.store.ts";
import { isUnused, type Receipt } from "../../receipts/receipt.ts";
import { wasReversalAsked } from "../../refunds/refund.store.ts";
import { isReceiptSaidOf } from "../evidence/evidence.store.ts";
import { listFitting } from "./list-fitting.ts";
import { lockPayable } from "./lock-payable.ts";

/** A receipt whose number is known. */
export type Numbered = Receipt & { receipt: string };
export const isNumbered = (receipt: Receipt): receipt is Numbered => receipt.receipt !== null;

/** Whether a receipt of an attempt was only joined to it by shortcode, amount, phone and time. */
export const isGuessed = async (tx: Database, { attemptId, receipt }: Numbered): Promise<boolean> =>
	attemptId !== null && !(await isReceiptSaidOf(tx, attemptId, receipt));

type OfOther = {
	tenantId: string;
	receiptId: string;
	/** The phone that paid, in full. */
	phone: string;
	/** The receipt of a payment without a prompt that has the number of the prompt's own phone. */
	ownId?: string;
};

/**
 * Takes a number off the receipt of a prompt that it was joined to by a guess, because another phone than
 * that of the prompt paid it; with `ownId` both receipts exchange their numbers. Returns whether it did: a
 * receipt that is or was reversed keeps its number, by which the gateway reverses. The money stays counted.
 * Call it inside the tenant.
 */
export async function freeNumberOfOther(
	tx: Database,
	{ tenantId, receiptId, phone, ownId }: OfOther,
): Promise<boolean> {
	const attempt = await findPromptOfOther(tx, { receiptId, phone });
	if (attempt === undefined) return false;
	await lockPayable(tx, { tenantId, intentId: attempt.intentId });
	const receipt = await lockReceipt(tx, receiptId);
	if (receipt === undefined || receipt.attemptId !== attempt.id || !isNumbered(receipt)) return false;
	if (!(await isGuessed(tx, receipt)) || (await wasReversalAsked(tx, receiptId))) return false;
	if (ownId === undefined) await removeNumber(tx, receiptId);
	return ownId === undefined || exchangeWith(tx, receipt, ownId);
}

/** The prompt of a receipt, if it was sent to another phone than this one. */
async function findPromptOfOther(tx: Database, { receiptId, phone }: Pick<OfOther, "receiptId" | "phone">) {
	const attemptId = (await findReceipt(tx, receiptId))?.attemptId ?? null;
	const attempt = attemptId === null ? undefined : await findAttempt(tx, attemptId);
	return attempt === undefined || attempt.phone === null || attempt.phone === phone ? undefined : attempt;
}

/**
 * Whether the receipt of a prompt keeps the number of another phone, to which it was joined by a guess,
 * because it is or was to be reversed by it. Call it inside the tenant.
 */
export async function keepsNumberOfOther(
	tx: Database,
	of: Pick<OfOther, "receiptId" | "phone">,
): Promise<boolean> {
	if ((await findPromptOfOther(tx, of)) === undefined || !(await wasReversalAsked(tx, of.receiptId)))
		return false;
	const receipt = await findReceipt(tx, of.receiptId);
	return receipt !== undefined && isNumbered(receipt) && (await isGuessed(tx, receipt));
}

/** Exchanges numbers with a payment without a prompt of the same money that is not reversed. */
async function exchangeWith(tx: Database, receipt: Numbered, ownId: string): Promise<boolean> {
	const own = await lockReceipt(tx, ownId);
	if (own === undefined || own.attemptId !== null || !isNumbered(own)) return false;
	if (!isSameMoney(receipt, own) || (await wasReversalAsked(tx, ownId))) return false;
	await exchangeNumbers(tx, receipt, own);
	return true;
}

type Freeing = { taken: Numbered; own: Receipt | undefined; intent: StoredIntent; now: Date };

/**
 * Frees a number that is said of an attempt from the receipt of another one, to which it was joined by a
 * guess. That one gets the number of the attempt's own receipt if this was a guess, too, else of one that
 * fits it as well, else none until it is known. Returns the receipt that has the number now, if there is
 * one.
 */
export async function freeNumber(tx: Database, freeing: Freeing): Promise<Receipt | undefined> {
	const { taken, own } = freeing;
	const isOwnGuessed = own !== undefined && isNumbered(own) && (await isGuessed(tx, own));
	const other = isOwnGuessed ? own : await findFitting(tx, freeing);
	if (other !== undefined && isNumbered(other) && isSameMoney(taken, other))
		return exchangeNumbers(tx, taken, other);
	await removeNumber(tx, taken.id);
	return undefined;
}

/** A receipt that pays another intent keeps its number. */
async function findFitting(tx: Database, { taken, intent, now }: Freeing): Promise<Receipt | undefined> {
	const attempt = taken.attemptId === null ? undefined : await findAttempt(tx, taken.attemptId);
	const guessed = attempt && (await findIntent(tx, attempt.intentId));
	if (attempt === undefined || guessed === undefined) return undefined;
	const fitting = await listFitting(tx, { attempt, intent: guessed, amountMinor: taken.amountMinor, now });
	return fitting.find((one) => isNumbered(one) && (isUnused(one) || guessed.id === intent.id));
}

/** Whether two receipts are of the same amount at the same shortcode. */
export const isSameMoney = (one: Receipt, other: Receipt): boolean =>
	one.shortcode === other.shortcode &&
	one.amountMinor === other.amountMinor &&
	one.currency === other.currency &&
	one.custody === other.custody;

/** Each gets what the gateway said of the other; what they pay stays. Returns the second one. */
async function exchangeNumbers(tx: Database, one: Numbered, other: Numbered): Promise<Receipt | undefined> {
	await removeNumber(tx, one.id);
	await removeNumber(tx, other.id);
	await numberReceipt(tx, { ...other, id: one.id });
	await numberReceipt(tx, { ...one, id: other.id });
	return lockReceipt(tx, other.id);
}
