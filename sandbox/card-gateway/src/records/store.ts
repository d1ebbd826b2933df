import type { Rows, Table } from "@lango/sandbox-base";
import { type Tables, uniques } from "./tables.ts";

type TableName = keyof Tables;

/** A member by which rows of the table are found. */
type Unique<T extends TableName> = (typeof uniques)[T][number];

/** The rows of the gateway by their unique members. */
export type Store = {
	/** Adds a row with the next ordinal of its table. Throws `TooMany` when the sandbox is full. */
	add<T extends TableName>(table: T, make: (ordinal: number) => Tables[T]): Tables[T];
	/** Returns the changed row. Unique members never change. */
	change<T extends TableName>(table: T, row: Tables[T], changes: Partial<Tables[T]>): Tables[T];
	find<T extends TableName>(table: T, by: Unique<T>, value: string | number): Tables[T] | undefined;
	/** Throws if it is missing: rows are never removed, so that is a bug. */
	get<T extends TableName>(table: T, by: Unique<T>, value: string | number): Tables[T];
	/** The oldest first. */
	list<T extends TableName>(table: T): Tables[T][];
	clear(at: Date): void;
};

type Index = { rows: Table<{ ordinal: number }>; last: number; keys: Map<string, number> };

/** The store of a state that may already have rows. */
export function createStore(state: Rows): Store {
	let indexes = new Map<TableName, Index>();
	const of = (table: TableName): Index => {
		const found = indexes.get(table) ?? indexOf(state, table);
		indexes.set(table, found);
		return found;
	};
	const put = <T extends TableName>(table: T, row: Tables[T]): Tables[T] => {
		note(of(table), table, row);
		of(table).rows.put(String(row.ordinal), row);
		return row;
	};
	const find: Store["find"] = (table, by, value) => {
		const { rows, keys } = of(table);
		return rows.get(String(keys.get(`${by}:${value}`))) as Tables[typeof table] | undefined;
	};
	return {
		add: (table, make) => put(table, make(of(table).last + 1)),
		change: (table, row, changes) => put(table, { ...row, ...changes }),
		find,
		get: (table, by, value) => {
			const found = find(table, by, value);
			if (found === undefined) throw new Error(`No row of ${table} with ${by} ${value}`);
			return found;
		},
		list: (table) => of(table).rows.list() as Tables[typeof table][],
		clear: (at) => {
			state.clear(at);
			indexes = new Map();
		},
	};
}

function indexOf(state: Rows, table: TableName): Index {
	const index: Index = { rows: state.table(table), last: 0, keys: new Map() };
	for (const row of index.rows.list()) note(index, table, row);
	return index;
}

function note(index: Index, table: TableName, row: { ordinal: number }): void {
	const members = row as Readonly<Record<string, unknown>>;
	index.last = Math.max(index.last, row.ordinal);
	for (const by of uniques[table]) index.keys.set(`${by}:${String(members[by])}`, row.ordinal);
}
