import type { CallOptions, Page } from "@lango/client";
import { type Column, type CursorPages, DataTable, Pager } from "@lango/interface";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ErrorNotice } from "../notices/error-notice.tsx";
import { Loaded } from "../notices/loaded.tsx";
import { usePlatform } from "../platform.ts";
import { useZone } from "../tenant/use-tenant.ts";
import { FilterBar, type FilterField } from "./filter-bar.tsx";
import { filterQuery } from "./filter-query.ts";
import { type ListFilters, useListFilters, useListPages } from "./list-address.ts";
import { ListFrame } from "./list-frame.tsx";
import { useListTexts } from "./texts.ts";

/** A list, its filters and its page. `P`: what the service answers beside the items. */
export type ListState<T, P extends Page<T> = Page<T>> = {
	filters: ListFilters;
	fields: readonly FilterField[];
	pages: CursorPages;
	pageSize: number;
	/** How many rows are on the pages before, if these can be shorter than the page size. */
	before?: number | undefined;
	query: UseQueryResult<P>;
};

type Options<T> = {
	/** The cache key of the list. `invalidateQueries({ queryKey: key })` reloads it. */
	key: readonly unknown[];
	/** The address of the list, without its query. */
	address: string;
	/** What is always asked for, before the filters. A change returns to the first page. */
	query?: NonNullable<CallOptions["query"]>;
	/** The filters above the list, which are parameters of its address by their names. */
	fields?: readonly FilterField[];
	/** `none`: the list of the whole tenant, independent of the selected outlet. */
	outlet?: CallOptions["outlet"];
	/** Its name in the address of a page with several lists. */
	name?: string;
	/** False for a list that does not offer its total. Default: true. */
	hasTotal?: boolean;
	/** Items per page. Default: 20. */
	pageSize?: number;
	/**
	 * For a list that changes by itself: whether these items change soon. Then they are read again every few
	 * seconds; and the list is read whenever it is opened.
	 */
	isChanging?: (items: readonly T[]) => boolean;
};

const refreshMs = 3_000;

/**
 * Loads a list page by page (`{items, next_cursor}`). Filters and page are in the address of the page. The
 * previous page stays until the next one is loaded.
 */
export function usePagedList<T, P extends Page<T> = Page<T>>({
	key,
	address,
	query: fixed = {},
	fields = [],
	outlet,
	name = "",
	hasTotal = true,
	pageSize = 20,
	isChanging,
}: Options<T>): ListState<T, P> {
	const { client } = usePlatform();
	const found = useListFilters(
		name,
		fields.map((field) => field.name),
	);
	// A choice that always has a value chooses another list: with its own text if that is empty.
	const isFiltered = fields.some((field) => !hasFallback(field) && found.filter[field.name] !== undefined);
	const filters = { ...found, isFiltered };
	const pages = useListPages(name);
	const query = { ...filterQuery(fields, filters.filter, useZone()), ...fixed };
	useFirstPageAfter(JSON.stringify([address, fixed]), pages);
	const { cursor } = pages;
	const result = useQuery({
		queryKey: [...key, query, cursor],
		queryFn: ({ signal }) =>
			client.call<P>(address, {
				query: { ...query, limit: pageSize, cursor, ...(hasTotal && { total: true }) },
				...{ outlet, signal },
			}),
		placeholderData: keepPreviousData,
		refetchOnMount: isChanging === undefined ? true : "always",
		refetchInterval: ({ state: { data } }) =>
			data !== undefined && isChanging?.(data.items) === true ? refreshMs : false,
	});
	return { filters, fields, pages, pageSize, query: result };
}

const hasFallback = (field: FilterField) => field.kind === "select" && field.fallback !== undefined;

/** A cursor belongs to what was asked for. */
function useFirstPageAfter(asked: string, pages: CursorPages): void {
	const before = useRef(asked);
	useEffect(() => {
		if (before.current === asked) return;
		before.current = asked;
		if (pages.number > 1) pages.first();
	});
}

type PagedList<T> = {
	list: ListState<T>;
	/** The name of the table, read aloud before it. */
	caption: string;
	columns: ReadonlyArray<Column<T>>;
	keyOf: (row: T) => string;
	/** Shown if the list is empty and not filtered. */
	empty?: string;
	/** Whether the list is the main content of the page; see Loaded. */
	isMain?: boolean;
};

/** The filters of a list, its table, and the way through its pages. */
export function PagedList<T>({ list, isMain = false, empty, ...table }: PagedList<T>) {
	const { query, filters, fields, pages, pageSize, before } = list;
	const { isFiltered } = filters;
	const { noResults } = useListTexts();
	const isFailed = query.data === undefined && query.error !== null;
	return (
		<ListFrame pages={pages}>
			{(shown) => (
				<>
					{fields.length > 0 && <FilterBar filters={filters} fields={fields} />}
					{query.data !== undefined && <ErrorNotice error={query.error} onRetry={query.refetch} />}
					<Loaded query={query} isMain={isMain && !isFiltered}>
						{({ items, next_cursor, total }) => (
							<div
								aria-busy={query.isPlaceholderData}
								className={query.isPlaceholderData ? "opacity-60" : ""}
							>
								<DataTable {...table} rows={items} empty={isFiltered ? noResults : (empty ?? noResults)} />
								<Pager
									of={table.caption}
									pages={shown}
									nextCursor={next_cursor}
									{...{ size: pageSize, before, count: items.length, total }}
								/>
							</div>
						)}
					</Loaded>
					{isFailed && <Pager of={table.caption} pages={shown} nextCursor={null} size={pageSize} count={0} />}
				</>
			)}
		</ListFrame>
	);
}
