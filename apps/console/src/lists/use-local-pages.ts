import { useCursorPages } from "@lango/interface";
import { useState } from "react";

const pageSize = 20;

/**
 * Paging of a list that is loaded completely: the rows of the current page, and the state for a Pager. A
 * change of `found`, the search and filters as text, returns to the first page.
 */
export function useLocalPages<T>(rows: readonly T[], found: string) {
	const pages = useCursorPages();
	const [current, setCurrent] = useState(found);
	if (current !== found) {
		setCurrent(found);
		pages.first();
	}
	const from = Number(pages.cursor ?? 0);
	const start = from < rows.length ? from : 0;
	const next = start + pageSize;
	return { pages, shown: rows.slice(start, next), nextCursor: next < rows.length ? `${next}` : null };
}
