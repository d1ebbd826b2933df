import { TooMany } from "../http/too-many.ts";
import { openAppendFile } from "./append-file.ts";

/**
 * The rows of one table by their keys, in the order of their first `put`. Rows are replaced, never changed.
 */
export type Table<Row> = {
	get(key: string): Row | undefined;
	/** Throws `TooMany` when the sandbox is full. */
	put(key: string, row: Row): Row;
	list(): Row[];
};

/** The state of a sandbox: in memory, and in an append-only file where one is named. */
export type Rows = {
	/** The table of this name; one name always has one type of row. */
	table<Row extends object>(name: string): Table<Row>;
	/** Counts the calls; each number is used once. */
	nextOrdinal(): number;
	/** Removes all rows and starts counting again. */
	clear(at: Date): void;
	close(): void;
};

type Line = { table: string; key: string; row: object } | { ordinal: number } | { cleared: string };

const rowsMax = 2_000_000;

/** Opens the state, with that of the file if one is named. */
export function openRows(path: string | undefined): Rows {
	const file = path === undefined ? undefined : openAppendFile<Line>(path);
	const tables = new Map<string, Map<string, object>>();
	let lastOrdinal = 0;
	let count = 0;

	const rowsOf = (name: string) => {
		const found = tables.get(name) ?? new Map<string, object>();
		tables.set(name, found);
		return found;
	};
	const apply = (line: Line) => {
		if ("ordinal" in line) lastOrdinal = line.ordinal;
		else if ("table" in line) {
			const rows = rowsOf(line.table);
			if (!rows.has(line.key)) count += 1;
			rows.set(line.key, line.row);
		} else {
			for (const rows of tables.values()) rows.clear();
			[lastOrdinal, count] = [0, 0];
		}
	};
	const write = (line: Line) => {
		file?.append(line);
		apply(line);
	};
	for (const line of file?.lines ?? []) apply(line);

	return {
		table: <Row extends object>(name: string): Table<Row> => {
			const rows = rowsOf(name) as Map<string, Row>;
			return {
				get: (key) => rows.get(key),
				put: (key, row) => {
					if (count >= rowsMax) throw new TooMany("The sandbox is full. Reset it.");
					write({ table: name, key, row });
					return row;
				},
				list: () => [...rows.values()],
			};
		},
		nextOrdinal: () => {
			write({ ordinal: lastOrdinal + 1 });
			return lastOrdinal;
		},
		clear: (at) => write({ cleared: at.toISOString() }),
		close: () => file?.close(),
	};
}
