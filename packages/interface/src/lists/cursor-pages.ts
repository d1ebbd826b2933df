import { useState } from "react";

export type CursorPages = {
	/** The cursor of the page; undefined on the first page. */
	cursor: string | undefined;
	/** The number of the page, from 1. */
	number: number;
	/** Opens the next page by `next_cursor` of this one. */
	next: (cursor: string) => void;
	previous: () => void;
	/** Opens the first page, for example after another search. */
	first: () => void;
};

/** The position in a list with cursors. Previous cursors are stored, because a cursor leads only forward. */
export function useCursorPages(): CursorPages {
	const [way, setWay] = useState<readonly string[]>([]);
	return {
		cursor: way.at(-1),
		number: way.length + 1,
		next: (cursor) => setWay((before) => [...before, cursor]),
		previous: () => setWay((before) => before.slice(0, -1)),
		first: () => setWay([]),
	};
}
