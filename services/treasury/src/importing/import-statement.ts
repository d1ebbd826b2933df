import { createHash } from "node:crypto";
import type { Database } from "@lango/postgres";
import { closeAllExplained, closeExplained } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";
import { auditAction, type Operator } from "../operator.ts";
import type { Treasury } from "../treasury.ts";
import { correctNumbers, numberLines } from "./correct-numbers.ts";
import type { Comparing } from "./number-prompted.ts";
import { readStatementFile, type StatedLine, type Unreadable } from "./read-statement-file.ts";
import {
	type ComparedLine,
	eachOpenLines,
	forgetPayers,
	lastLineAt,
	listOpenSources,
	lockSource,
	matchBankLines,
	matchLines,
	nameStatementLines,
	recordStatementLines,
} from "./statement-line.store.ts";

type Statement = { source: string; currency: string; bytes: Buffer };
type Imported = { lines: number; added: number };

/**
 * Imports a statement of the bank account or of a shortcode, and compares it: settlements with what the bank
 * received, receipts, payouts and refunds with what came to the shortcode and left it. The same lines again
 * change nothing. What a shortcode received and is not counted, or with another amount, raises an exception.
 * Returns what cannot be read, if there is something: nothing is imported then.
 */
export async function importStatement(
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ source, currency, bytes }: Statement,
	by: Operator,
): Promise<Imported | Unreadable> {
	const read = readStatementFile(bytes.toString("utf8"));
	if (!Array.isArray(read)) return read;
	// The payer is kept only where it says of which prompt a line is.
	const isPaid = ({ amountMinor }: StatedLine) => source !== "bank" && amountMinor > 0n;
	const lines = read.map((line) => (isPaid(line) ? line : { ...line, payer: null }));
	const at = now();
	const fileHash = createHash("sha256").update(bytes).digest();
	const added = await db.transaction(async (tx) => {
		const count = await recordStatementLines(tx, { source, currency, fileHash }, { lines, now: at });
		await nameStatementLines(tx, { source, currency }, lines);
		const detail = { lines: lines.length, added: count };
		await auditAction(tx, by, { action: "statement.imported", subject: source, detail, at });
		if (source === "bank") await matchSettlements(tx, at);
		return count;
	});
	if (source !== "bank") await compareShortcode(db, source, at);
	return { lines: lines.length, added };
}

async function matchSettlements(tx: Database, now: Date): Promise<void> {
	for (const gatewayId of await matchBankLines(tx))
		await closeExplained(tx, { class: "late", subject: `bank line of settlement ${gatewayId}`, now });
}

const payerKeptMs = 90 * 86_400_000;

/**
 * Compares the statements of all shortcodes again: what is counted later is explained then. The payers of
 * lines that nothing explains are kept for 90 days.
 */
export async function compareStatements({ db, now }: Pick<Treasury, "db" | "now">): Promise<void> {
	await forgetPayers(db, new Date(now().getTime() - payerKeptMs));
	for (const source of await listOpenSources(db)) await compareShortcode(db, source, now());
}

async function compareShortcode(db: Database, source: string, now: Date): Promise<void> {
	const comparing = { source, coveredUntil: await lastLineAt(db, source), now };
	await correctNumbers(db, comparing);
	await numberLines(db, comparing);
	await eachOpenLines(db, source, (lines) => db.transaction((tx) => compareLines(tx, lines, comparing)));
}

/** Statements of one source are compared one after the other: each closes several exceptions. */
async function compareLines(
	tx: Database,
	lines: readonly ComparedLine[],
	{ source, now }: Pick<Comparing, "source" | "now">,
): Promise<void> {
	await lockSource(tx, source);
	const matched = lines.flatMap(({ found, ...line }) =>
		found?.amountMinor === line.amountMinor ? [{ ...line, found }] : [],
	);
	const explained = matched.flatMap(({ reference, found: { kind, id } }) => {
		const receiptId = kind === "receipt" ? id : undefined;
		return [
			{ class: "missing_here" as const, subject: `statement ${source} ${reference}`, receiptId },
			{ class: "late" as const, subject: `statement line of ${kind} ${reference}`, receiptId },
		];
	});
	await closeAllExplained(tx, explained, now);
	await matchLines(
		tx,
		matched.map(({ id, found }) => ({ id, objectId: found.id })),
	);
	for (const line of lines)
		if (line.found?.amountMinor !== line.amountMinor) await raiseDifference(tx, line, { source, now });
}

function raiseDifference(
	tx: Database,
	line: ComparedLine,
	{ source, now }: Pick<Comparing, "source" | "now">,
): Promise<void> {
	const { reference, amountMinor, currency, found, at } = line;
	const subject = `statement ${source} ${reference}`;
	return raiseException(tx, {
		...{ class: found === undefined ? "missing_here" : "amount", subject, amountMinor, currency, now },
		ours: found === undefined ? {} : oursOf(found),
		theirs: {
			...{ shortcode: source, receipt: reference, amount_minor: toMinor(amountMinor) },
			at: at.toISOString(),
		},
	});
}

const oursOf = ({ kind, tenantId, id, amountMinor }: NonNullable<ComparedLine["found"]>) => ({
	...{ tenant_id: tenantId, [`${kind}_id`]: id, amount_minor: toMinor(amountMinor) },
});
