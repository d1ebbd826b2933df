import { type Database, inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { freeNumberOfOther } from "../outcomes/collecting/free-number.ts";
import { hasReversal } from "../refunds/refund.store.ts";
import { phoneOf } from "./number-prompted.ts";
import { type ComparedLine, listLinesBeside } from "./statement-line.store.ts";

type Found = NonNullable<ComparedLine["found"]>;
/** A line whose number is on the receipt of the prompt of another phone than it shows. */
type OfOther = { line: ComparedLine; found: Found; phone: string };

/**
 * Of lines that show the phone in full, takes numbers off the receipts of prompts of other phones, to which
 * their confirmations were joined by a guess. If the own number of such a prompt was counted as a payment
 * without a prompt meanwhile, the two receipts exchange their numbers, or keep them if one of them is
 * reversed. Returns whether a number changed: the lines are out of date then, and others may have become
 * wrong. Call it outside of a transaction.
 */
export async function freeNumbers(
	db: Database,
	source: string,
	lines: readonly ComparedLine[],
): Promise<boolean> {
	const wrong = lines.flatMap((line): OfOther[] => {
		const [phone, { found, promptPhone }] = [phoneOf(line), line];
		const isOfOther = phone !== undefined && promptPhone !== undefined && promptPhone !== phone;
		return isOfOther && found?.kind === "receipt" ? [{ line, found, phone }] : [];
	});
	// Exchanges first: a number that is free is given to a prompt, which another one may need to exchange it.
	for (const work of [exchange, free]) {
		let hasChanged = false;
		for (const one of wrong) if (await work(db, source, one)) hasChanged = true;
		if (hasChanged) return true;
	}
	return false;
}

/** Finds the payment without a prompt that has the number of the prompt's own phone. */
async function findOwn(db: Database, source: string, { line }: OfOther): Promise<Found | undefined> {
	const beside = await listLinesBeside(db, source, line);
	const own = beside.find(
		(other) =>
			other.id !== line.id &&
			other.promptPhone === undefined &&
			other.found?.kind === "receipt" &&
			phoneOf(other) === line.promptPhone,
	);
	return own?.found;
}

async function exchange(db: Database, source: string, one: OfOther): Promise<boolean> {
	const own = await findOwn(db, source, one);
	return own?.tenantId === one.found.tenantId && (await freeInTenant(db, one, own.id));
}

/** Once the own number is counted, none would take the place of one that is taken off. */
const free = async (db: Database, source: string, one: OfOther): Promise<boolean> =>
	(await findOwn(db, source, one)) === undefined && (await freeInTenant(db, one));

/**
 * Returns the phone whose number the receipt of a line's own prompt keeps, because it is reversed: the prompt
 * of that phone gets the number of the line instead. `lines`: those that are compared with it. Call it
 * outside of a transaction.
 */
export async function findExchanged(
	db: Database,
	line: ComparedLine,
	lines: readonly ComparedLine[],
): Promise<string | undefined> {
	const phone = phoneOf(line);
	for (const other of lines) {
		const [shown, { found }] = [phoneOf(other), other];
		const isKept = other.promptPhone === phone && other.amountMinor === line.amountMinor;
		if (phone === undefined || !isKept || shown === undefined || shown === phone) continue;
		if (found?.kind !== "receipt") continue;
		if (await inTenant(db, found.tenantId, (tx) => hasReversal(tx, found.id))) return shown;
	}
	return undefined;
}

function freeInTenant(db: Database, { found, phone }: OfOther, ownId?: string): Promise<boolean> {
	const { tenantId, id: receiptId } = found;
	const ofOther = { tenantId, receiptId, phone, ...(ownId !== undefined && { ownId }) };
	return retryConflicts(() => inTenant(db, tenantId, (tx) => freeNumberOfOther(tx, ofOther)));
}
