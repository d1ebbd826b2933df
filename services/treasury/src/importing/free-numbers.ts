import { type Database, inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { freeNumberOfOther, keepsNumberOfOther } from "../outcomes/collecting/free-number.ts";
import { type Comparing, findPrompt, phoneOf } from "./number-prompted.ts";
import { type ComparedLine, listLinesBeside } from "./statement-line.store.ts";

type Found = NonNullable<ComparedLine["found"]>;
/** A line whose number is on the receipt of the prompt of another phone than it shows. */
type OfOther = { line: ComparedLine; found: Found; phone: string; promptPhone: string };

/**
 * Corrects the receipts of prompts to which the numbers of other phones were joined by a guess, as far as
 * the lines of these numbers show the phone in full. Such a number is taken off if another prompt gets it, or
 * if the line of the prompt's own number waits for it. If that own number was counted as a payment without a
 * prompt, the two receipts exchange their numbers. Otherwise, and if one of them is or was to be reversed,
 * they keep them. Returns whether a number changed: the lines are out of date then, and others may have
 * become wrong. Call it outside of a transaction.
 */
export async function freeNumbers(
	db: Database,
	lines: readonly ComparedLine[],
	comparing: Comparing,
): Promise<boolean> {
	for (const work of [free, exchange]) {
		let hasChanged = false;
		for (const one of lines.flatMap(readOfOther)) if (await work(db, one, comparing)) hasChanged = true;
		if (hasChanged) return true;
	}
	return false;
}

function readOfOther(line: ComparedLine): OfOther[] {
	const [phone, { found, promptPhone }] = [phoneOf(line), line];
	if (phone === undefined || promptPhone === undefined || promptPhone === phone) return [];
	return found?.kind === "receipt" ? [{ line, found, phone, promptPhone }] : [];
}

async function free(db: Database, one: OfOther, comparing: Comparing): Promise<boolean> {
	const { line, promptPhone: phone } = one;
	const isWaitedFor = async () =>
		(await listLinesOf(db, { line, phone, source: comparing.source })).some(({ found }) => !found);
	if ((await findPrompt(db, line, comparing)) === undefined && !(await isWaitedFor())) return false;
	return freeInTenant(db, one);
}

async function exchange(db: Database, one: OfOther, { source }: Comparing): Promise<boolean> {
	const { line, promptPhone: phone } = one;
	const own = (await listLinesOf(db, { line, phone, source })).find(
		({ promptPhone, found }) =>
			promptPhone === undefined && found?.kind === "receipt" && found.tenantId === one.found.tenantId,
	);
	return own?.found !== undefined && (await freeInTenant(db, one, own.found.id));
}

/**
 * Returns the phone whose number a reversed receipt keeps, which is of a prompt to this phone: the prompt of
 * that one gets the number of this one's line instead. Call it outside of a transaction.
 */
export async function findExchanged(
	db: Database,
	{ line, phone, source }: Beside,
): Promise<string | undefined> {
	const { amountMinor, at } = line;
	for (const other of await listLinesBeside(db, source, { amountMinor, at, promptPhone: phone })) {
		const [one] = readOfOther(other);
		if (one === undefined) continue;
		const { found, phone: shown } = one;
		const of = { receiptId: found.id, phone: shown };
		if (await inTenant(db, found.tenantId, (tx) => keepsNumberOfOther(tx, of))) return shown;
	}
	return undefined;
}

type Beside = { line: ComparedLine; phone: string; source: string };

/** Lines beside one, of its amount, that a phone paid. */
async function listLinesOf(db: Database, { line, phone, source }: Beside): Promise<ComparedLine[]> {
	const { amountMinor, at } = line;
	const beside = await listLinesBeside(db, source, { amountMinor, at, phone });
	return beside.filter((other) => other.id !== line.id && phoneOf(other) === phone);
}

function freeInTenant(db: Database, { found, phone }: OfOther, ownId?: string): Promise<boolean> {
	const { tenantId, id: receiptId } = found;
	const ofOther = { tenantId, receiptId, phone, ...(ownId !== undefined && { ownId }) };
	return retryConflicts(() => inTenant(db, tenantId, (tx) => freeNumberOfOther(tx, ofOther)));
}
