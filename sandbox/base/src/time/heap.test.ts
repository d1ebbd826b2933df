import { expect, test } from "vitest";
import { createHeap } from "./heap.ts";

test("items are taken in their order, whenever they are added", () => {
	const heap = createHeap<number>((one, other) => one - other);
	const taken: number[] = [];
	const take = () => {
		const first = heap.first();
		if (first !== undefined) taken.push(first);
		heap.take();
	};
	for (const item of [5, 3, 9, 1, 7]) heap.add(item);
	for (const _ of "of") take();
	for (const item of [8, 6, 4, 4]) heap.add(item);
	while (heap.first() !== undefined) take();
	expect(taken).toEqual([1, 3, 4, 4, 5, 6, 7, 8, 9]);
	heap.take();
	expect(heap.first()).toBeUndefined();
});
