import { type Database, inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { freeNumberOfOther } from "../outcomes/collecting/free-number.ts";
import { phoneOf } from "./number-prompted.ts";
import { type ComparedLine, listLinesBeside } from "./statement-line.store.ts";

type Found = NonNullable<ComparedLine["found"]>;
/** A line whose number is on the receipt of the prompt of another phone than it shows. */
type OfOther = { line: ComparedLine; found: Found; phone: string };

/**
 * Of lines that show the phone in full, takes numbers off the receipts of prompts of other phones, to which
 * their confirmations were joined by a guess. If the own number of such a prompt was counted as a payment
 * without a prompt meanwhile, the two receipts exchange their numbers. Returns whether a number changed: the
 * lines are out of date then, and others may have become wrong. Call it outside of a transaction.
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

async function exchange(db: Database, source: string, one: OfOther): Promise<boolean> {
	const { id, promptPhone } = one.line;
	const beside = await listLinesBeside(db, source, one.line);
	const own = beside.find(
		(other) =>
			other.id !== id &&
			other.promptPhone === undefined &&
			phoneOf(other) === promptPhone &&
			other.found?.kind === "receipt" &&
			other.found.tenantId === one.found.tenantId,
	);
	return own?.found !== undefined && (await freeInTenant(db, one, own.found.id));
}

const free = (db: Database, _source: string, one: OfOther): Promise<boolean> => freeInTenant(db, one);

function freeInTenant(db: Database, { found, phone }: OfOther, ownId?: string): Promise<boolean> {
	const { tenantId, id: receiptId } = found;
	const ofOther = { tenantId, receiptId, phone, ...(ownId !== undefined && { ownId }) };
	return retryConflicts(() => inTenant(db, tenantId, (tx) => freeNumberOfOther(tx, ofOther)));
}
