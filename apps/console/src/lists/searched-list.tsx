import { type CallOptions, listItems } from "@lango/client";
import { type Column, compareNames, DataTable, findRows, Pager, type SortOrder } from "@lango/interface";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ErrorNotice } from "../notices/error-notice.tsx";
import { Loaded } from "../notices/loaded.tsx";
import { usePlatform } from "../platform.ts";
import { FilterBar, type FilterField } from "./filter-bar.tsx";
import { FilterSelect } from "./filters.tsx";
import { useListFilters, useListOrder, useListPages } from "./list-address.ts";
import { ListFrame } from "./list-frame.tsx";
import { useListTexts } from "./texts.ts";

type Options = {
	/** The cache key of the list. */
	key: readonly unknown[];
	/** The address of the list, without its query. */
	address: string;
	query?: NonNullable<CallOptions["query"]>;
	/** `none`: the list of the whole tenant, independent of the selected outlet. */
	outlet?: CallOptions["outlet"];
};

const requestSize = 100;
/** More than any list read this way can have: the services limit sessions per user and roles per tenant. */
const itemsMax = 1_000;
const pageSize = 20;

/** Loads all items of a short list, so that the page can search and sort it. */
export function useWholeList<T>({
	key,
	address,
	query: asked,
	outlet,
}: Options): UseQueryResult<readonly T[]> {
	const { client } = usePlatform();
	return useQuery({
		queryKey: [...key, "whole"],
		queryFn: async ({ signal }) => {
			const all: T[] = [];
			const query = { ...asked, limit: requestSize };
			for await (const one of listItems<T>(client, address, { query, itemsMax, outlet, signal }))
				all.push(one);
			return all;
		},
	});
}

type SearchedList<T> = {
	query: UseQueryResult<readonly T[]>;
	/** The label of the search field, and the text of a row that is searched. */
	search: { label: string; textOf: (row: T) => string };
	/** A choice beside the search, and which rows belong to a value of it. */
	choice?: { field: FilterField & { kind: "select" }; isShown: (row: T, value: string) => boolean };
	caption: string;
	columns: ReadonlyArray<Column<T>>;
	keyOf: (row: T) => string;
	/** Shown if the list is empty. */
	empty: string;
	/** Whether the list is the main content of the page; see Loaded. */
	isMain?: boolean;
};

/**
 * A table of a list that is loaded completely, with a search field, an order by column, and paging in
 * memory. All of it is in the address of the page.
 */
export function SearchedList<T>({ query, isMain = false, ...list }: SearchedList<T>) {
	return (
		<>
			{query.data !== undefined && <ErrorNotice error={query.error} onRetry={query.refetch} />}
			<Loaded query={query} isMain={isMain}>
				{(rows) => <Rows rows={rows} {...list} />}
			</Loaded>
		</>
	);
}

type Rows<T> = Omit<SearchedList<T>, "query" | "isMain"> & { rows: readonly T[] };

function Rows<T>({ rows, search, choice, empty, columns, ...table }: Rows<T>) {
	const words = useListTexts();
	const fields: FilterField[] = [
		{ kind: "search", name: "q", label: search.label },
		...(choice === undefined ? [] : [choice.field]),
	];
	const filters = useListFilters(
		"",
		fields.map(({ name }) => name),
	);
	const order = useListOrder("");
	const pages = useListPages("");
	const chosen = choice && (filters.filter[choice.field.name] ?? choice.field.fallback ?? "");
	const among = choice === undefined ? rows : rows.filter((row) => choice.isShown(row, chosen ?? ""));
	const found = sortRows(findRows(among, filters.filter["q"] ?? "", search.textOf), columns, order.by);
	const from = pages.cursor === undefined ? 0 : Math.trunc(Number(pages.cursor)) || 0;
	const start = from < found.length ? from : 0;
	const end = start + pageSize;
	return (
		<ListFrame pages={pages}>
			{(shown) => (
				<div className="w-full @container">
					<FilterBar filters={filters} fields={fields} />
					<OrderChoice columns={columns} order={order} />
					<DataTable
						{...table}
						{...{ columns, order, rows: found.slice(start, end) }}
						empty={rows.length === 0 ? empty : words.noResults}
					/>
					<Pager
						pages={shown}
						nextCursor={end < found.length ? `${end}` : null}
						{...{ size: pageSize, count: found.slice(start, end).length, total: found.length }}
					/>
				</div>
			)}
		</ListFrame>
	);
}

/** The order of cards, which have no heads to press. */
function OrderChoice<T>({ columns, order }: { columns: ReadonlyArray<Column<T>>; order: SortOrder }) {
	const words = useListTexts();
	const sorted = columns.filter(({ sort }) => sort !== undefined);
	if (sorted.length === 0) return null;
	return (
		<div className="mb-4 max-w-64 rows:hidden print:hidden">
			<FilterSelect
				label={words.sortBy}
				value={order.by ?? ""}
				onChange={order.set}
				options={[
					{ value: "", label: words.usualOrder },
					...sorted.flatMap(({ head, sort }) => [
						{ value: `${sort?.[0]}`, label: words.ascending(head) },
						{ value: `-${sort?.[0]}`, label: words.descending(head) },
					]),
				]}
			/>
		</div>
	);
}

/** Rows in the order of a column, with numbers inside of names by their value. */
function sortRows<T>(
	rows: readonly T[],
	columns: ReadonlyArray<Column<T>>,
	by: string | undefined,
): readonly T[] {
	const sort = columns.find((column) => column.sort?.[0] === by?.replace(/^-/, ""))?.sort;
	if (sort === undefined) return rows;
	const direction = by?.startsWith("-") ? -1 : 1;
	return rows.toSorted((one, other) => direction * compareNames(sort[1](one), sort[1](other)));
}
