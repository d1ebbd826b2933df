import type { AuditRow } from "./audit-row.ts";

export const formats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof formats)[number];

/** The columns of a CSV and the members of a JSON line, with what each has of an entry. */
const columns: ReadonlyArray<readonly [name: string, read: (row: AuditRow) => unknown]> = [
	["at", ({ at }) => at],
	["source", ({ source }) => source],
	["action", ({ action }) => action],
	["actor_id", ({ actorId }) => actorId],
	["actor", ({ actorName }) => actorName],
	["subject", ({ subject }) => subject],
	["before", ({ before }) => before],
	["after", ({ after }) => after],
	["ip", ({ ip }) => ip],
	["request_id", ({ requestId }) => requestId],
	["since", ({ visit }) => visit?.since ?? null],
	["requests", ({ visit }) => visit?.requests ?? null],
];

const mediaTypes = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

/**
 * A file with one line for each entry; a visit of the platform owner is one. Codes and times are as the
 * services store them.
 */
export function toFile(rows: readonly AuditRow[], format: ExportFormat): Blob {
	const lines = rows.map(format === "csv" ? toCsvLine : toJsonLine);
	const all = format === "csv" ? [columns.map(([name]) => name).join(), ...lines] : lines;
	const lineEnd = format === "csv" ? "\r\n" : "\n";
	return new Blob(
		all.map((line) => `${line}${lineEnd}`),
		{ type: mediaTypes[format] },
	);
}

const toJsonLine = (row: AuditRow) =>
	JSON.stringify(Object.fromEntries(columns.map(([name, read]) => [name, read(row)])));
const toCsvLine = (row: AuditRow) => columns.map(([, read]) => toCell(read(row))).join();

/** What a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/;

function toCell(value: unknown): string {
	if (value === null || value === undefined) return "";
	const text = typeof value === "string" ? value : JSON.stringify(value);
	const safe = formula.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
