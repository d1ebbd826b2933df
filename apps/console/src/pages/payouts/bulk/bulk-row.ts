import type { PayoutRequest } from "../payout.queries.ts";

export type Rail = PayoutRequest["rail"];

const payeeFields = ["recipient_id", "kind", "command", "to", "account"] as const;
/** The fields of a payout of a bulk request. */
export const rowFields = [...payeeFields, "amount_minor", "remarks"] as const;

export type RowField = (typeof rowFields)[number];

/** What a row begins with. Its fields hold what is entered. */
export type BulkRow = Readonly<Record<RowField, string>> & { key: string };

/** The most payouts of one request. */
export const bulkMax = 500;

/** The name of a field of a row: a form has each name once. */
export const nameOf = (key: string, field: string): string => `${field}-${key}`;

let made = 0;

/** Keeps the keys of these rows, which a reload has not ended, from rows that are made from now on. */
export function reserveKeys(rows: readonly BulkRow[]): void {
	made = Math.max(made, ...rows.map(({ key }) => Number(key)));
}

/** Makes a row: empty, or with what was pasted. */
export function makeRow(values: Partial<Record<RowField, string>> = {}): BulkRow {
	made += 1;
	const empty = { recipient_id: "", command: "", to: "", account: "", amount_minor: "", remarks: "" };
	return { ...empty, kind: "customer", ...values, key: String(made) };
}
