import { type CallOptions, listPage, type Page } from "@lango/client";
import { type CursorPages, useCursorPages } from "@lango/interface";
import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlatform } from "../platform.ts";

export type PagedList<T> = { pages: CursorPages; query: UseQueryResult<Page<T>> };

type Asked = {
	/** What the list is known by in the cache; `invalidateQueries({ queryKey: key })` asks for it anew. */
	key: readonly unknown[];
	/** The address of the list, of a service or the sign-on service, without its query. */
	address: string;
	/** What to search and filter by; a change begins at the first page. */
	query?: NonNullable<CallOptions["query"]>;
	/** `none`: a list of the whole tenant, whichever outlet is selected. */
	outlet?: CallOptions["outlet"];
	/** How many a page has. Default 20. */
	pageSize?: number;
	isEnabled?: boolean;
};

/** A list of the platform, page by page: `{items, next_cursor}`. The page before stays until the next one has come. */
export function usePagedList<T>({
	key,
	address,
	query = {},
	outlet,
	pageSize = 20,
	isEnabled = true,
}: Asked): PagedList<T> {
	const { client } = usePlatform();
	const pages = useCursorPages();
	const wanted = JSON.stringify([address, query]);
	const [asked, setAsked] = useState(wanted);
	if (asked !== wanted) {
		setAsked(wanted);
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
