import type { CallOptions, Page } from "@lango/client";
import { type Column, type CursorPages, DataTable, Pager, useCursorPages } from "@lango/interface";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "../notices/error-notice.tsx";
import { Loaded } from "../notices/loaded.tsx";
import { usePlatform } from "../platform.ts";

/** A list and its page. `P`: what the service answers beside the items. */
export type ListState<T, P extends Page<T> = Page<T>> = { pages: CursorPages; query: UseQueryResult<P> };

type Options<T> = {
	/** The cache key of the list. `invalidateQueries({ queryKey: key })` reloads it. */
	key: readonly unknown[];
	/** The address of the list, without its query. */
	address: string;
	/** Search and filters. A change returns to the first page. */
	query?: NonNullable<CallOptions["query"]>;
	/** `none`: the list of the whole tenant, independent of the selected outlet. */
	outlet?: CallOptions["outlet"];
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
 * Loads a list page by page (`{items, next_cursor}`). The previous page stays until the next one is loaded.
 */
export function usePagedList<T, P extends Page<T> = Page<T>>({
	key,
	address,
	query = {},
	outlet,
	pageSize = 20,
	isChanging,
}: Options<T>): ListState<T, P> {
	const { client } = usePlatform();
	const pages = useCursorPages();
	const requested = JSON.stringify([address, query]);
	const [current, setCurrent] = useState(requested);
	if (current !== requested) {
		setCurrent(requested);
		pages.first();
	}
	const { cursor } = pages;
	const result = useQuery({
		queryKey: [...key, query, cursor],
		queryFn: ({ signal }) =>
			client.call<P>(address, { query: { ...query, limit: pageSize, cursor }, outlet, signal }),
		placeholderData: keepPreviousData,
		refetchOnMount: isChanging === undefined ? true : "always",
		refetchInterval: ({ state }) => (isChanging?.(state.data?.items ?? []) ? refreshMs : false),
	});
	return { pages, query: result };
}

type PagedList<T> = {
	list: ListState<T>;
	/** The name of the table, read aloud before it. */
	caption: string;
	columns: ReadonlyArray<Column<T>>;
	keyOf: (row: T) => string;
	/** Shown if the list is empty. */
	empty: string;
	/** Whether the list is the main content of the page; see Loaded. */
	isMain?: boolean;
};

/** A table of a paged list, with paging. */
export function PagedList<T>({ list: { pages, query }, isMain = false, ...table }: PagedList<T>) {
	return (
		<>
			{query.data !== undefined && <ErrorNotice error={query.error} onRetry={query.refetch} />}
			<Loaded query={query} isMain={isMain}>
				{({ items, next_cursor }) => (
					<div aria-busy={query.isPlaceholderData} className={query.isPlaceholderData ? "opacity-60" : ""}>
						<DataTable {...table} rows={items} />
						<Pager pages={pages} nextCursor={next_cursor} />
					</div>
				)}
			</Loaded>
		</>
	);
}
