import type { Database } from "@lango/postgres";
import { maskPhone } from "../money/phone.ts";
import {
	exchangeNumbers,
	isGuessed,
	isNumbered,
	isSameMoney,
	type Numbered,
} from "../outcomes/collecting/free-number.ts";
import { lockPayable } from "../outcomes/collecting/lock-payable.ts";
import { findAttempt } from "../payments/attempt.store.ts";
import type { Attempt } from "../payments/attempt.ts";
import { lockCounter } from "../receipts/fitting-receipt.store.ts";
import {
	findCounted,
	findReceipt,
	lockReceipt,
	numberReceipt,
	removeNumber,
} from "../receipts/receipt.store.ts";
import { fitsPrompt } from "../receipts/receipt.ts";
import { wasReversalAsked } from "../refunds/refund.store.ts";

/** The receipt of a prompt that has the number of another phone than that of the prompt. */
export type WrongNumber = {
	tenantId: string;
	receiptId: string;
	number: string;
	/** The phone that paid by this number, in full. */
	phone: string;
};

/** What the phone of the prompt paid, and the receipt that has its number. */
export type OwnNumber = { number: string; at: Date; receiptId: string | undefined };

/**
 * Corrects the number of a prompt's receipt to which it was joined by a guess. It gets its own number: one
 * that nothing has is given to it, and a receipt that has it gets the wrong one instead. Without an own
 * number the wrong one is taken off. Returns whether it did: receipts that are or were to be reversed keep
 * their numbers, by which the gateway reverses. The money stays counted. Call it inside the tenant.
 */
export async function correctNumber(
	tx: Database,
	wrong: WrongNumber,
	own: OwnNumber | undefined,
): Promise<boolean> {
	const prompt = await findPromptOfOther(tx, wrong);
	if (prompt === undefined) return false;
	await lockBoth(tx, wrong, { prompt, ownId: own?.receiptId });
	const receipt = await lockGuessed(tx, { id: wrong.receiptId, number: wrong.number });
	if (receipt?.attemptId !== prompt.id) return false;
	if (own === undefined) {
		await removeNumber(tx, receipt.id);
		return true;
	}
	if (own.receiptId === undefined) return replaceNumber(tx, receipt, { prompt, own });
	const other = await lockGuessed(tx, { id: own.receiptId, number: own.number });
	if (other === undefined || !isSameMoney(receipt, other)) return false;
	if (other.attemptId !== null && !(await isOfOther(tx, other.attemptId, prompt.phone))) return false;
	await exchangeNumbers(tx, receipt, other);
	return true;
}

type Reversible = Pick<WrongNumber, "receiptId" | "phone">;

/**
 * Whether the receipt of a prompt keeps the number of another phone, to which it was joined by a guess,
 * because it is or was to be reversed by it. Call it inside the tenant.
 */
export async function keepsNumberOfOther(tx: Database, of: Reversible): Promise<boolean> {
	if ((await findPromptOfOther(tx, of)) === undefined) return false;
	const receipt = await findReceipt(tx, of.receiptId);
	if (receipt === undefined || !isNumbered(receipt) || !(await isGuessed(tx, receipt))) return false;
	return wasReversalAsked(tx, receipt.id);
}

type Prompt = Attempt & { phone: string };

/** The prompt of a receipt, if it was sent to another phone than this one. */
async function findPromptOfOther(
	tx: Database,
	{ receiptId, phone }: Reversible,
): Promise<Prompt | undefined> {
	const attemptId = (await findReceipt(tx, receiptId))?.attemptId ?? null;
	const attempt = attemptId === null ? undefined : await findAttempt(tx, attemptId);
	if (attempt === undefined || attempt.phone === null || attempt.phone === phone) return undefined;
	return { ...attempt, phone: attempt.phone };
}

/** Whether a prompt was sent to another phone than this one. */
async function isOfOther(tx: Database, attemptId: string, phone: string): Promise<boolean> {
	const attempt = await findAttempt(tx, attemptId);
	return attempt !== undefined && attempt.phone !== null && attempt.phone !== phone;
}

/** Locks the intents of both receipts, and then the counter of their amount. */
async function lockBoth(
	tx: Database,
	{ tenantId }: WrongNumber,
	{ prompt, ownId }: { prompt: Prompt; ownId: string | undefined },
): Promise<void> {
	const otherId = ownId === undefined ? null : ((await findReceipt(tx, ownId))?.attemptId ?? null);
	const other = otherId === null ? undefined : await findAttempt(tx, otherId);
	const intents = new Set([prompt.intentId, ...(other === undefined ? [] : [other.intentId])]);
	for (const intentId of [...intents].toSorted()) await lockPayable(tx, { tenantId, intentId });
	const { shortcode, amountMinor } = prompt;
	if (shortcode !== null) await lockCounter(tx, { shortcode, amountMinor });
}

/**
 * Locks a receipt that has a number, unless this was said of its prompt, or the receipt is or was to be
 * reversed by it.
 */
async function lockGuessed(
	tx: Database,
	{ id, number }: { id: string; number: string },
): Promise<Numbered | undefined> {
	const receipt = await lockReceipt(tx, id);
	if (receipt === undefined || !isNumbered(receipt) || receipt.receipt !== number) return undefined;
	const isSaid = receipt.attemptId !== null && !(await isGuessed(tx, receipt));
	return isSaid || (await wasReversalAsked(tx, id)) ? undefined : receipt;
}

/** Gives a receipt the own number of its prompt, if nothing has it, and it was paid in the prompt's time. */
async function replaceNumber(
	tx: Database,
	receipt: Numbered,
	{ prompt, own: { number, at } }: { prompt: Prompt; own: OwnNumber },
): Promise<boolean> {
	const { phone, submittedAt, endedAt } = prompt;
	const paid = { payerMasked: null, occurredAt: at };
	if (!fitsPrompt(paid, { phone, submittedAt, ...(endedAt !== null && { until: endedAt }) })) return false;
	if ((await findCounted(tx, receipt.gateway, number)) !== undefined) return false;
	await removeNumber(tx, receipt.id);
	await numberReceipt(tx, { ...receipt, receipt: number, occurredAt: at, payerMasked: maskPhone(phone) });
	return true;
}
