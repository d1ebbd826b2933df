import { useCursorPages } from "@lango/interface";
import { useState } from "react";

const pageSize = 20;

/**
 * Pages of a list that is here as a whole: what the page shows, and the way through it for a Pager. `found` says what it was
 * searched for; a change begins at the first page.
 */
export function useLocalPages<T>(rows: readonly T[], found: string) {
	const pages = useCursorPages();
	const [asked, setAsked] = useState(found);
	if (asked !== found) {
		setAsked(found);
		pages.first();
	}
	const from = Number(pages.cursor ?? 0);
	const start = from < rows.length ? from : 0;
	const next = start + pageSize;
	return { pages, shown: rows.slice(start, next), nextCursor: next < rows.length ? `${next}` : null };
}
