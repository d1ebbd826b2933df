import type { Rows, Table } from "@lango/sandbox-base";
import { type GroupKey, groups, type Tables, uniques } from "./tables.ts";

type TableName = keyof Tables;

/** A member by which rows of the table are found. */
type Unique<T extends TableName> = (typeof uniques)[T][number];
type Grouped = keyof typeof groups;

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
	/** The rows of one group, the oldest first. */
	listOf<T extends Grouped>(table: T, by: keyof (typeof groups)[T], value: GroupKey): Tables[T][];
	/** The newest first, at most so many. */
	newest<T extends TableName>(table: T, which: Newest<Tables[T]>): Tables[T][];
	clear(at: Date): void;
};

type Newest<Row> = {
	max: number;
	/** Only older ones than this. */
	before?: Row | undefined;
	isWanted?: (row: Row) => boolean;
};

type Index = {
	rows: Table<{ ordinal: number }>;
	last: number;
	keys: Map<string, number>;
	/** The ordinals of each group. */
	groups: Map<string, Set<number>>;
};

/** The store of a state that may already have rows. */
export function createStore(state: Rows): Store {
	let indexes = new Map<TableName, Index>();
	const of = (table: TableName): Index => {
		const found = indexes.get(table) ?? indexOf(state, table);
		indexes.set(table, found);
		return found;
	};
	const put = <T extends TableName>(table: T, row: Tables[T]): Tables[T] => {
		const index = of(table);
		const before = index.rows.get(String(row.ordinal));
		index.rows.put(String(row.ordinal), row);
		note(index, table, { before, row });
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
		listOf: (table, by, value) => {
			const { rows, groups: known } = of(table);
			const ordinals = [...(known.get(`${String(by)}:${value}`) ?? [])].sort((one, other) => one - other);
			return ordinals.map((ordinal) => rows.get(String(ordinal)) as Tables[typeof table]);
		},
		newest: (table, { max, before, isWanted = () => true }) => {
			const { rows, last } = of(table);
			const found: Tables[typeof table][] = [];
			for (let at = (before?.ordinal ?? last + 1) - 1; at > 0 && found.length < max; at -= 1) {
				const row = rows.get(String(at)) as Tables[typeof table];
				if (isWanted(row)) found.push(row);
			}
			return found;
		},
		clear: (at) => {
			state.clear(at);
			indexes = new Map();
		},
	};
}

function indexOf(state: Rows, table: TableName): Index {
	const index: Index = { rows: state.table(table), last: 0, keys: new Map(), groups: new Map() };
	for (const row of index.rows.list()) note(index, table, { before: undefined, row });
	return index;
}

type Row = { ordinal: number };
type GroupOf = (row: Row) => GroupKey | undefined;

function note(index: Index, table: TableName, { before, row }: { before: Row | undefined; row: Row }): void {
	const members = row as Readonly<Record<string, unknown>>;
	index.last = Math.max(index.last, row.ordinal);
	if (before === undefined)
		for (const by of uniques[table]) index.keys.set(`${by}:${String(members[by])}`, row.ordinal);
	const groupsOf = (groups as { [T in TableName]?: Readonly<Record<string, unknown>> })[table] ?? {};
	for (const [by, group] of Object.entries(groupsOf)) {
		const [left, joined] = [before && (group as GroupOf)(before), (group as GroupOf)(row)];
		if (left === joined) continue;
		if (left !== undefined) index.groups.get(`${by}:${left}`)?.delete(row.ordinal);
		if (joined !== undefined) add(index.groups, `${by}:${joined}`, row.ordinal);
	}
}

function add(all: Index["groups"], name: string, ordinal: number): void {
	const found = all.get(name) ?? new Set();
	all.set(name, found.add(ordinal));
}
