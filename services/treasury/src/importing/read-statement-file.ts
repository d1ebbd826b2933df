import { parse } from "csv-parse/sync";
import { maskShown, readPhone } from "../money/phone.ts";
import { readAccountCode } from "../payments/account-code.ts";

/** A line of a statement of a bank account or of a shortcode. */
export type StatedLine = {
	/** The line of the file; the first is that of the names of columns. */
	line: number;
	at: Date;
	/** What came; negative: what left. */
	amountMinor: bigint;
	/** The number that the bank or the gateway gave it. */
	reference: string;
	description: string;
	/** The account code that the payment named; empty: it named something else; null: it is not said. */
	accountRef: string | null;
	/** The phone that paid: in full, or masked; null: the statement does not say it. */
	payer: string | null;
};

/** What cannot be read: a line of the file, and the name of its column. */
export type Unreadable = { line: number; column: string; message: string };

type Column = "date" | "amount" | "reference" | "description" | "account" | "payer";
const required: readonly Column[] = ["date", "amount", "reference"];

/**
 * Reads a statement in CSV: `date` (a day, or an instant with its zone), `amount` (with a point, negative
 * what left), `reference`, and if there are some `description`, `account` (what the payer gave as the account
 * number) and `payer` (a phone, which may be masked, and the name after it). Other columns are ignored. Pure.
 */
export function readStatementFile(text: string): StatedLine[] | Unreadable {
	const rows = readRows(text);
	if (!Array.isArray(rows)) return rows;
	const [head, ...rest] = rows;
	const names = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
	const missing = required.find((name) => !names.includes(name));
	if (missing !== undefined) return { line: 1, column: missing, message: "There is no such column." };
	const lines: StatedLine[] = [];
	for (const { cells, line } of rest) {
		const cellOf = (name: Column) => (cells[names.indexOf(name)] ?? "").trim();
		const read = readLine(cellOf, line);
		if ("column" in read) return read;
		lines.push(read);
	}
	return lines;
}

type Rows = Array<{ cells: string[]; line: number }>;

function readRows(text: string): Rows | Unreadable {
	const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true };
	try {
		const found = parse(text, options) as unknown as Array<{ record: string[]; info: { lines: number } }>;
		return found.map(({ record, info }) => ({ cells: record, line: info.lines }));
	} catch (error) {
		const { lines: line = 1, message = "" } = error as { lines?: number; message?: string };
		return { line, column: "", message: `This is not CSV: ${message}` };
	}
}

function readLine(cellOf: (name: Column) => string, line: number): StatedLine | Unreadable {
	const at = readDate(cellOf("date"));
	if (at === undefined)
		return { line, column: "date", message: "It must be like 2026-11-26, or an instant." };
	const amountMinor = readAmount(cellOf("amount"));
	if (amountMinor === undefined)
		return { line, column: "amount", message: "It must be like -1250.00, and not 0." };
	const reference = cellOf("reference");
	if (reference === "" || reference.length > 100)
		return { line, column: "reference", message: "It must have 1 to 100 characters." };
	const description = cellOf("description").slice(0, 300);
	const accountRef = readAccount(cellOf("account"));
	const payer = readPayer(cellOf("payer"));
	return { line, at, amountMinor, reference, description, accountRef, payer };
}

/** A prompt sends its code: what names something else is of no prompt. */
const readAccount = (cell: string): string | null => (cell === "" ? null : (readAccountCode(cell) ?? ""));

/** Fewer characters are those of a paybill or till. */
const phoneLengthMin = 9;

/** The number is before a name, as in `2547*****123 - ASHA MWANGI`. */
function readPayer(cell: string): string | null {
	const shown = (cell.split(" - ")[0] ?? "").trim();
	return readPhone(shown) ?? (shown.length < phoneLengthMin ? null : (maskShown(shown) ?? null));
}

const dateForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2}))?$/;

function readDate(text: string): Date | undefined {
	if (!dateForm.test(text) || !isDay(text.slice(0, 10))) return undefined;
	const at = new Date(text);
	return Number.isNaN(at.getTime()) ? undefined : at;
}

/** The thirty-first of a month with thirty days would be read as the next day. */
function isDay(text: string): boolean {
	const at = new Date(text);
	return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const amountForm = /^(-?)(\d{1,3}(?:,\d{3})*|\d{1,10})(?:\.(\d{1,2}))?$/;

function readAmount(text: string): bigint | undefined {
	const [, sign, whole = "", cents = ""] = amountForm.exec(text) ?? [];
	const minor = BigInt(whole.replaceAll(",", "") || "0") * 100n + BigInt(cents.padEnd(2, "0"));
	if (sign === undefined || minor === 0n || minor > 1_000_000_000_000n) return undefined;
	return sign === "-" ? -minor : minor;
}
