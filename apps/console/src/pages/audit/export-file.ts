import type { AuditRow } from "./audit-row.ts";

export const formats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof formats)[number];

const columns = [
	...([
		"at",
		"source",
		"action",
		"actor_id",
		"actor",
		"subject",
		"before",
		"after",
		"ip",
		"request_id",
	] as const),
];
type ExportedRow = Readonly<Record<(typeof columns)[number], unknown>>;

const mediaTypes = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

/** A file with one line for each entry. Codes and times are as the services store them. */
export function toFile(rows: readonly AuditRow[], format: ExportFormat): Blob {
	const lines = rows.map(exported).map(format === "csv" ? toCsvLine : toJsonLine);
	const all = format === "csv" ? [columns.map(toCell).join(), ...lines] : lines;
	const lineEnd = format === "csv" ? "\r\n" : "\n";
	return new Blob(
		all.map((line) => `${line}${lineEnd}`),
		{ type: mediaTypes[format] },
	);
}

function exported({ actorId, actorName, requestId, subject, ...row }: AuditRow): ExportedRow {
	const { at, source, action, before, after, ip } = row;
	return {
		at,
		source,
		action,
		subject,
		before,
		after,
		ip,
		actor_id: actorId,
		actor: actorName,
		request_id: requestId,
	};
}

const toJsonLine = (row: ExportedRow) => JSON.stringify(row);
const toCsvLine = (row: ExportedRow) => columns.map((column) => toCell(row[column])).join();

/** What a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/;

function toCell(value: unknown): string {
	if (value === null || value === undefined) return "";
	const text = typeof value === "string" ? value : JSON.stringify(value);
	const safe = formula.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
