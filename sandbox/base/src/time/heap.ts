/** A binary heap: its first item is found at once, and items are added and taken in logarithmic time. */
export type Heap<Item> = {
	add(item: Item): void;
	first(): Item | undefined;
	/** Removes the first item. */
	take(): void;
	clear(): void;
};

/** A heap without items. Equal items come in no particular order. */
export function createHeap<Item>(compare: (one: Item, other: Item) => number): Heap<Item> {
	const items: Item[] = [];
	const isBefore = (one: number, other: number) => compare(items[one] as Item, items[other] as Item) < 0;
	const swap = (one: number, other: number) => {
		[items[one], items[other]] = [items[other] as Item, items[one] as Item];
	};
	const rise = (from: number) => {
		for (let at = from, above = (at - 1) >> 1; at > 0 && isBefore(at, above); above = (at - 1) >> 1) {
			swap(at, above);
			at = above;
		}
	};
	const least = (at: number) =>
		[2 * at + 1, 2 * at + 2]
			.filter((below) => below < items.length)
			.reduce((found, below) => (isBefore(below, found) ? below : found), at);
	const sink = () => {
		for (let [at, below] = [0, least(0)]; below !== at; [at, below] = [below, least(below)]) swap(at, below);
	};
	return {
		add: (item) => rise(items.push(item) - 1),
		first: () => items[0],
		take: () => {
			const last = items.pop();
			if (items.length === 0 || last === undefined) return;
			items[0] = last;
			sink();
		},
		clear: () => {
			items.length = 0;
		},
	};
}
