import { expect, test } from "vitest";
import { createBatches, TooManyWaiting } from "./batch.ts";

test("the first item goes at once, and those that arrive meanwhile are the next batches, no larger than the limit", async () => {
	const batches: number[][] = [];
	const release: Array<() => void> = [];
	const store = createBatches<number>({
		...{ sizeMax: 3, waitingMax: 10, weigh: () => 1 },
		work: async (items) => {
			batches.push([...items]);
			await new Promise<void>((resolve) => release.push(resolve));
		},
	});
	const all = Promise.all([1, 2, 3, 4, 5].map(store));
	for (const expected of [[[1]], [[1], [2, 3, 4]], [[1], [2, 3, 4], [5]]]) {
		await expect.poll(() => batches).toEqual(expected);
		release.at(-1)?.();
	}
	await all;
	const last = store(6);
	release.at(-1)?.();
	await last;
	expect(batches.at(-1)).toEqual([6]);
});

test("an error is the error of the items of its batch only", async () => {
	let isBroken = true;
	const store = createBatches<string>({
		...{ sizeMax: 10, waitingMax: 10, weigh: () => 1 },
		work: async () => {
			if (isBroken) throw new Error("away");
		},
	});
	await expect(store("a")).rejects.toThrow("away");
	isBroken = false;
	await expect(store("b")).resolves.toBeUndefined();
});

test("an item with which more would wait than may is refused at once, and those that wait are stored", async () => {
	const release: Array<() => void> = [];
	const store = createBatches<string>({
		...{ sizeMax: 10, waitingMax: 5, weigh: ({ length }) => length },
		work: () => new Promise<void>((resolve) => release.push(resolve)),
	});
	const kept = ["first", "abc", "de"].map(store);
	await expect(store("f")).rejects.toThrow(TooManyWaiting);
	release[0]?.();
	await kept[0];
	await expect.poll(() => release).toHaveLength(2);
	release[1]?.();
	await Promise.all(kept);
});
