import { useState } from "react";

export type CursorPages = {
	/** What to ask the list for; undefined on the first page. */
	cursor: string | undefined;
	/** The number of the page, from 1. */
	number: number;
	/** Goes on to the page that `next_cursor` of this one leads to. */
	next: (cursor: string) => void;
	previous: () => void;
	/** Back to the first page, as after another search. */
	first: () => void;
};

/** Where one stands in a list that is paged by cursors: cursors only lead on, so the way here is kept. */
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
