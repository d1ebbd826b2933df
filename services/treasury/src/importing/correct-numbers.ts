import { type Database, inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { type Comparing, findPrompt, numberPrompted, phoneOf } from "./number-prompted.ts";
import { besideSeconds, type ComparedLine, eachOpenLines, listLinesBeside } from "./statement-line.store.ts";
import { correctNumber, keepsNumberOfOther, type OwnNumber } from "./wrong-number.ts";

type Found = NonNullable<ComparedLine["found"]>;
/** A line whose number is on the receipt of the prompt of another phone than it shows. */
type OfOther = { line: ComparedLine; found: Found; phone: string; promptPhone: string };

/**
 * Corrects the receipts of prompts to which the numbers of other phones were joined by a guess, as far as
 * the lines of a statement show the phones in full. The receipt of a prompt gets the number of a line with
 * the prompt's phone, and what had that number gets the other one. Without such a line its number goes to a
 * prompt of the phone that paid by it, if one waits for a number; else it stays. Call it outside of a
 * transaction.
 */
export async function correctNumbers(db: Database, comparing: Comparing): Promise<void> {
	let hasChanged = true;
	while (hasChanged) {
		hasChanged = false;
		await eachOpenLines(db, comparing.source, async (lines) => {
			for (const one of lines.flatMap(readOfOther))
				if (await correctOne(db, one, comparing)) hasChanged = true;
		});
	}
}

/** The lines of a statement that show one phone as the payer, on the receipts of prompts to another phone. */
function readOfOther(line: ComparedLine): OfOther[] {
	const [phone, { found, promptPhone }] = [phoneOf(line), line];
	if (phone === undefined || promptPhone === undefined || promptPhone === phone) return [];
	return found?.kind === "receipt" ? [{ line, found, phone, promptPhone }] : [];
}

/**
 * Gives the receipt of a prompt its own number: one that nothing has first, the nearest first. If there is
 * none, the wrong one is passed on to the prompt of the phone that paid by it.
 */
async function correctOne(db: Database, one: OfOther, comparing: Comparing): Promise<boolean> {
	const own = await listOwn(db, one, comparing.source);
	for (const { reference: number, at, found } of own.toSorted(byFound))
		if (await correct(db, one, { number, at, receiptId: found?.id })) return true;
	// An own number that is counted does not come again: without the wrong one the receipt would have none.
	if (own.some(({ found }) => found !== undefined)) return false;
	if ((await findPrompt(db, one.line, comparing)) === undefined) return false;
	if (!(await correct(db, one, undefined))) return false;
	await numberPrompted(db, one.line, comparing);
	return true;
}

/** Lines by which the phone of the prompt paid, and whose numbers no receipt of its prompts has. */
async function listOwn(
	db: Database,
	{ line, promptPhone: phone, found: { tenantId } }: OfOther,
	source: string,
): Promise<ComparedLine[]> {
	const { amountMinor, at } = line;
	const beside = await listLinesBeside(db, source, { amountMinor, at, phone });
	return beside.filter((other) => {
		if (phoneOf(other) !== phone || other.promptPhone === phone) return false;
		const { found, accountRef } = other;
		return found === undefined ? accountRef !== "" : found.kind === "receipt" && found.tenantId === tenantId;
	});
}

/** What nothing has comes first, then what was counted without a prompt. */
const byFound = (one: ComparedLine, other: ComparedLine): number => rankOf(one) - rankOf(other);
const rankOf = ({ found, promptPhone }: ComparedLine): number => {
	if (found === undefined) return 0;
	return promptPhone === undefined ? 1 : 2;
};

function correct(
	db: Database,
	{ line, found, phone }: OfOther,
	own: OwnNumber | undefined,
): Promise<boolean> {
	const { tenantId, id: receiptId } = found;
	const wrong = { tenantId, receiptId, number: line.reference, phone };
	return retryConflicts(() => inTenant(db, tenantId, (tx) => correctNumber(tx, wrong, own)));
}

/** So many reversed receipts, of which each keeps the number of the next one, are followed. */
const exchangedMax = 20;

/**
 * Gives the numbers of lines that nothing explains to prompts that were found paid without one. If the
 * payer's own receipt keeps the number of another phone, because it is or was to be reversed by it, the
 * prompt of that phone gets the number of the line. Call it outside of a transaction.
 */
export async function numberLines(db: Database, comparing: Comparing): Promise<void> {
	const kept: OfOther[] = [];
	await eachOpenLines(db, comparing.source, async (lines) => {
		for (const one of lines.flatMap(readOfOther)) if (await isKept(db, one)) kept.push(one);
	});
	await eachOpenLines(db, comparing.source, async (lines) => {
		for (const line of lines) if (line.found === undefined) await numberLine(db, line, { kept, comparing });
	});
}

const isKept = (db: Database, { found, phone }: OfOther): Promise<boolean> =>
	inTenant(db, found.tenantId, (tx) => keepsNumberOfOther(tx, { receiptId: found.id, phone }));

type Numbering = { kept: readonly OfOther[]; comparing: Comparing };

async function numberLine(db: Database, line: ComparedLine, { kept, comparing }: Numbering): Promise<void> {
	let phone = phoneOf(line);
	let found = await numberPrompted(db, line, comparing);
	for (let nth = 0; nth < exchangedMax && found === undefined && phone !== undefined; nth += 1) {
		phone = kept.find((one) => one.promptPhone === phone && isBeside(one.line, line))?.phone;
		if (phone !== undefined) found = await numberPrompted(db, { ...line, payer: phone }, comparing);
	}
}

const isBeside = (one: ComparedLine, other: ComparedLine): boolean =>
	one.amountMinor === other.amountMinor &&
	Math.abs(one.at.getTime() - other.at.getTime()) <= besideSeconds * 1_000;
