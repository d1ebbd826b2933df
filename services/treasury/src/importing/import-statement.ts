import { createHash } from "node:crypto";
import type { Database } from "@lango/postgres";
import { closeExplained } from "../exceptions/exception.store.ts";
import { raiseException } from "../exceptions/raise-exception.ts";
import { toMinor } from "../money/amount.ts";
import { auditAction, type Operator } from "../reconciliation/operator.ts";
import type { Treasury } from "../treasury.ts";
import { numberPrompted } from "./number-prompted.ts";
import { readStatementFile, type StatedLine, type Unreadable } from "./read-statement-file.ts";
import {
	type ComparedLine,
	forgetPayers,
	lastLineAt,
	listOpenSources,
	listShortcodeLines,
	matchBankLines,
	matchLine,
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
	const lines = await listShortcodeLines(db, source);
	const unknown = Map.groupBy(
		lines.filter(({ found }) => found === undefined),
		({ amountMinor }) => amountMinor,
	);
	const coveredUntil = await lastLineAt(db, source);
	for (const line of lines) {
		const others = unknown.get(line.amountMinor) ?? [];
		const found = line.found ?? (await numberPrompted(db, line, { source, others, coveredUntil, now }));
		await db.transaction((tx) => compareLine(tx, { ...line, found }, { source, now }));
	}
}

type Comparing = { source: string; now: Date };

async function compareLine(tx: Database, line: ComparedLine, { source, now }: Comparing): Promise<void> {
	const { id, reference, amountMinor, currency, found } = line;
	const subject = `statement ${source} ${reference}`;
	if (found?.amountMinor === amountMinor) {
		const receiptIds = found.kind === "receipt" ? [found.id] : [];
		await closeExplained(tx, { class: "missing_here", subject, receiptIds, now });
		const expected = `statement line of ${found.kind} ${reference}`;
		await closeExplained(tx, { class: "late", subject: expected, receiptIds, now });
		return matchLine(tx, id, found.id);
	}
	await raiseException(tx, {
		...{ class: found === undefined ? "missing_here" : "amount", subject, amountMinor, currency, now },
		ours: found === undefined ? {} : oursOf(found),
		theirs: {
			...{ shortcode: source, receipt: reference, amount_minor: toMinor(amountMinor) },
			at: line.at.toISOString(),
		},
	});
}

const oursOf = ({ kind, tenantId, id, amountMinor }: NonNullable<ComparedLine["found"]>) => ({
	...{ tenant_id: tenantId, [`${kind}_id`]: id, amount_minor: toMinor(amountMinor) },
});
