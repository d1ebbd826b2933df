import type { CursorPages } from "@lango/interface";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";

declare module "@tanstack/history" {
	interface HistoryState {
		/** The cursors of the pages up to this one, by list: a cursor leads only forward. */
		ways?: Readonly<Record<string, readonly string[]>>;
	}
}

type Search = Readonly<Partial<Record<string, string>>>;

/** The part of the address of a page that belongs to one list. */
type ListAddress = {
	read: (name: string) => string | undefined;
	/** Changes parameters; undefined removes one. */
	change: (changes: Search, options?: { way?: readonly string[]; isNewEntry?: boolean }) => void;
};

/** `list` is the name of a list beside others on its page; "" for the only one. */
function useListAddress(list: string): ListAddress {
	const search: Search = useSearch({ strict: false });
	const navigate = useNavigate();
	const nameOf = (name: string) => (list === "" ? name : `${list}-${name}`);
	return {
		read: (name) => search[nameOf(name)] || undefined,
		change: (changes, { way = [], isNewEntry = false } = {}) => {
			const named = Object.fromEntries(
				Object.entries(changes).map(([name, value]) => [nameOf(name), value || undefined]),
			);
			void navigate({
				to: ".",
				search: ((now: Search) => ({ ...now, ...named })) as never,
				state: (now) => ({ ...now, ways: { ...now.ways, [list]: way } }),
				replace: !isNewEntry,
				resetScroll: false,
			});
		},
	};
}

const firstPage = { page: undefined, after: undefined };

/** The filters of a list, which are in the address of its page. */
export type ListFilters = {
	filter: Search;
	isFiltered: boolean;
	/** Changes one filter and returns to the first page; "" removes it. */
	set: (name: string, value: string) => void;
	removeAll: () => void;
	/** How often all filters were removed. */
	removals: number;
};

/** The filters of these names. */
export function useListFilters(list: string, names: readonly string[]): ListFilters {
	const { read, change } = useListAddress(list);
	const [removals, setRemovals] = useState(0);
	const filter = Object.fromEntries(names.map((name) => [name, read(name)]));
	return {
		...{ filter, removals, isFiltered: names.some((name) => filter[name] !== undefined) },
		set: (name, value) => change({ ...firstPage, [name]: value }),
		removeAll: () => {
			setRemovals(removals + 1);
			change({ ...firstPage, ...Object.fromEntries(names.map((name) => [name, undefined])) });
		},
	};
}

/** The page of a list: cursor and number are in the address, the way to it in the browser's history. */
export function useListPages(list: string): CursorPages {
	const { read, change } = useListAddress(list);
	const router = useRouter();
	const cursor = read("after");
	const number = cursor === undefined ? 1 : Math.max(2, Math.trunc(Number(read("page"))) || 2);
	/** From an address that was copied, the way back is the first page. */
	const wayHere = (): readonly string[] => {
		const way = router.state.location.state.ways?.[list] ?? [];
		return cursor === undefined || way.at(-1) === cursor ? way : [cursor];
	};
	const open = (way: readonly string[], page: number, isNewEntry = true) =>
		change(way.length === 0 ? firstPage : { after: way.at(-1), page: String(page) }, { way, isNewEntry });
	return {
		...{ cursor, number },
		next: (next) => open([...wayHere(), next], number + 1),
		previous: () => open(wayHere().slice(0, -1), number - 1),
		first: () => open([], 1, false),
	};
}

/** The column by which a list is sorted. A minus before its name: in descending order. */
export type ListOrder = { by: string | undefined; set: (by: string) => void };

export function useListOrder(list: string): ListOrder {
	const { read, change } = useListAddress(list);
	return { by: read("sort"), set: (by) => change({ ...firstPage, sort: by }) };
}
