import { type Column, DataTable, Pager } from "@lango/interface";
import { ErrorNotice } from "../notices/error-notice.tsx";
import { Loaded } from "../notices/loaded.tsx";
import type { PagedList as List } from "./use-paged-list.ts";

type PagedList<T> = {
	list: List<T>;
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
