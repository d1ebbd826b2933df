import type { Database } from "@lango/postgres";
import { findAttempt } from "../../payments/attempt.store.ts";
import { findIntent, type StoredIntent } from "../../payments/intent.store.ts";
import { lockReceipt, numberReceipt, removeNumber } from "../../receipts/receipt.store.ts";
import { isUnused, type Receipt } from "../../receipts/receipt.ts";
import { isReceiptSaidOf } from "../evidence/evidence.store.ts";
import { listFitting } from "./list-fitting.ts";

/** A receipt whose number is known. */
export type Numbered = Receipt & { receipt: string };
export const isNumbered = (receipt: Receipt): receipt is Numbered => receipt.receipt !== null;

/** Whether a receipt of an attempt was only joined to it by shortcode, amount, phone and time. */
export const isGuessed = async (tx: Database, { attemptId, receipt }: Numbered): Promise<boolean> =>
	attemptId !== null && !(await isReceiptSaidOf(tx, attemptId, receipt));

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
	const other = isOwnGuessed ? own : await findOther(tx, freeing);
	if (other !== undefined && isNumbered(other) && isSameMoney(taken, other))
		return exchangeNumbers(tx, taken, other);
	await removeNumber(tx, taken.id);
	return undefined;
}

/** A receipt that pays another intent keeps its number. */
async function findOther(tx: Database, { taken, intent, now }: Freeing): Promise<Receipt | undefined> {
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

/**
 * Each gets what the gateway said of the other; what they pay stays. Returns the second one. Call it inside
 * the tenant, with both locked.
 */
export async function exchangeNumbers(
	tx: Database,
	one: Numbered,
	other: Numbered,
): Promise<Receipt | undefined> {
	await removeNumber(tx, one.id);
	await removeNumber(tx, other.id);
	await numberReceipt(tx, { ...other, id: one.id });
	await numberReceipt(tx, { ...one, id: other.id });
	return lockReceipt(tx, other.id);
}
