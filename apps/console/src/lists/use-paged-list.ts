import { type CallOptions, listPage, type Page } from "@lango/client";
import { type CursorPages, useCursorPages } from "@lango/interface";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlatform } from "../platform.ts";

export type PagedList<T> = { pages: CursorPages; query: UseQueryResult<Page<T>> };

type Options = {
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
	isEnabled?: boolean;
};

/**
 * Loads a list page by page (`{items, next_cursor}`). The previous page stays until the next one is loaded.
 */
export function usePagedList<T>({
	key,
	address,
	query = {},
	outlet,
	pageSize = 20,
	isEnabled = true,
}: Options): PagedList<T> {
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
			listPage<T>(client, address, { query: { ...query, limit: pageSize, cursor }, outlet, signal }),
		placeholderData: keepPreviousData,
		enabled: isEnabled,
	});
	return { pages, query: result };
}
