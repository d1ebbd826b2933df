import { type CallOptions, listItems } from "@lango/client";
import { type Column, DataTable, Pager, SearchField } from "@lango/interface";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorNotice } from "../notices/error-notice.tsx";
import { Loaded } from "../notices/loaded.tsx";
import { usePlatform } from "../platform.ts";
import { Filters } from "./filters.tsx";
import { findRows } from "./find-rows.ts";
import { useLocalPages } from "./use-local-pages.ts";

type Options = {
	/** The cache key of the list. */
	key: readonly unknown[];
	/** The address of the list, without its query. */
	address: string;
	query?: NonNullable<CallOptions["query"]>;
	/** `none`: the list of the whole tenant, independent of the selected outlet. */
	outlet?: CallOptions["outlet"];
};

const pageSize = 100;
/** More than any list read this way can have: the services limit sessions per user and roles per tenant. */
const itemsMax = 1_000;

/** Loads all items of a short list, so that the page can search it. */
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
			const query = { ...asked, limit: pageSize };
			for await (const one of listItems<T>(client, address, { query, itemsMax, outlet, signal }))
				all.push(one);
			return all;
		},
	});
}

type SearchedList<T> = {
	query: UseQueryResult<readonly T[]>;
	/** The label of the search field, the text of a row that is searched, and the message without matches. */
	search: { label: string; textOf: (row: T) => string; noneFound: string };
	caption: string;
	columns: ReadonlyArray<Column<T>>;
	keyOf: (row: T) => string;
	/** Shown if the list is empty. */
	empty: string;
	/** Whether the list is the main content of the page; see Loaded. */
	isMain?: boolean;
};

/** A table of a list that is loaded completely, with a search field and paging in memory. */
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

function Rows<T>({ rows, search: { label, textOf, noneFound }, empty, ...table }: Rows<T>) {
	const [search, setSearch] = useState("");
	const { pages, shown, nextCursor } = useLocalPages(findRows(rows, search, textOf), search);
	return (
		<>
			<Filters>
				<SearchField label={label} onSearch={setSearch} />
			</Filters>
			<DataTable {...table} rows={shown} empty={rows.length === 0 ? empty : noneFound} />
			<Pager pages={pages} nextCursor={nextCursor} />
		</>
	);
}
