import { pipeline, Readable } from "node:stream";
import { stringify } from "csv-stringify";
import { timeOf } from "../ledger/place.ts";
import { isFee, type StatementLine, toDecimal } from "./statement.ts";

const columns = [
	...["posted_at", "effective_at", "purpose", "source_type", "source_id", "receipt", "account", "kind"],
	...["amount", "balance", "currency"],
];

/**
 * Writes a statement as CSV, page by page, so that its length does not matter. Text that a spreadsheet
 * would take for a formula is escaped; amounts are in whole units of the currency.
 */
export function writeStatementCsv(
	pages: AsyncIterable<readonly StatementLine[]>,
	currency: string,
): Readable {
	const rows = Readable.from(rowsOf(pages, currency), { objectMode: true });
	const csv = stringify({
		...{ header: true, columns, escape_formulas: true, record_delimiter: "windows" },
		cast: { bigint: (amountMinor) => toDecimal(amountMinor, currency), date: (at) => at.toISOString() },
	});
	// An error reaches the reader of the CSV: `pipeline` destroys it.
	return pipeline(rows, csv, () => undefined);
}

async function* rowsOf(pages: AsyncIterable<readonly StatementLine[]>, currency: string) {
	for await (const lines of pages)
		for (const line of lines)
			yield [
				...[timeOf(line.place), line.effectiveAt, line.purpose, line.source.type, line.source.id],
				...[
					line.receipt,
					line.account,
					isFee(line) ? "fee" : "amount",
					line.amountMinor,
					line.balanceMinor,
					currency,
				],
			];
}
