/** The end of a slice of work: when, how long it was, and whose. */
export type Event<T> = { atMs: number; ranMs: number; what: T };

/** Events of which the earliest comes first; of those at one moment, any: a binary heap. */
export function openEvents<T>() {
	const heap: Event<T>[] = [];
	const at = (index: number) => heap[index]?.atMs ?? Infinity;
	const swap = (one: number, other: number) => {
		const [first, second] = [heap[one], heap[other]];
		if (first === undefined || second === undefined) throw new Error("there is no such event");
		heap[one] = second;
		heap[other] = first;
	};
	return {
		first: () => heap[0],
		add(event: Event<T>) {
			heap.push(event);
			for (let index = heap.length - 1; index > 0; ) {
				const parent = (index - 1) >> 1;
				if (at(parent) <= at(index)) break;
				swap(index, parent);
				index = parent;
			}
		},
		dropFirst() {
			const last = heap.pop();
			if (last === undefined || heap.length === 0) return;
			heap[0] = last;
			for (let index = 0; ; ) {
				const [left, right] = [2 * index + 1, 2 * index + 2];
				const child = at(left) <= at(right) ? left : right;
				if (at(index) <= at(child)) break;
				swap(index, child);
				index = child;
			}
		},
	};
}
