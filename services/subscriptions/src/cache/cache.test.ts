import { beforeEach, describe, expect, test } from "vitest";
import { type Cache, createCache } from "./cache.ts";

type Stored = { is: number };

let time: number;
let stored: number;
let reads: number;
let cache: Cache<Stored>;

beforeEach(() => {
	[time, stored, reads] = [1_000, 1, 0];
	cache = build();
	cache.setListening(true);
});

const build = (sizeMax = 10) => createCache<Stored>({ now: () => new Date(time), sizeMax, maxAgeMs: 60_000 });
const read = async () => {
	reads += 1;
	return { value: { is: stored } };
};
const find = async (key = "one", from = read) => (await cache.find(key, from)).is;

/** A read whose answer is held back until it is released. */
function slowRead() {
	const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
	const slow = async () => {
		const answer = await read();
		await gate;
		return answer;
	};
	return { slow, letGo };
}

describe("a cached value", () => {
	test("is read once by concurrent callers, and then cached", async () => {
		expect(await Promise.all([find(), find(), find()])).toEqual([1, 1, 1]);
		stored = 2;
		expect([await find(), reads]).toEqual([1, 1]);
	});

	test("is read again after an invalidation; other keys stay cached", async () => {
		await find();
		await find("other");
		stored = 2;
		cache.invalidate("one");
		expect([await find(), await find("other")]).toEqual([2, 1]);
	});

	test("is read again after everything was invalidated", async () => {
		await find();
		stored = 2;
		cache.invalidateAll();
		expect(await find()).toBe(2);
	});

	test("expires after its maximum age, without an invalidation", async () => {
		await find();
		stored = 2;
		time += 59_999;
		expect(await find()).toBe(1);
		time += 1;
		expect(await find()).toBe(2);
	});

	test("expires at the time given with it", async () => {
		const until = async () => ({ ...(await read()), until: 5_000 });
		await find("one", until);
		stored = 2;
		time = 4_999;
		expect(await find("one", until)).toBe(1);
		time = 5_000;
		expect(await find("one", until)).toBe(2);
	});

	test("expires when the clock is set back", async () => {
		await find();
		stored = 2;
		time = 999;
		expect(await find()).toBe(2);
	});

	test("is not stored if the read fails, and every concurrent caller receives the error", async () => {
		const fails = async (): Promise<{ value: Stored }> => {
			throw new Error("away");
		};
		const both = await Promise.allSettled([find("one", fails), find("one", fails)]);
		expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
		expect(await find()).toBe(1);
	});
});

describe("an invalidation during a read", () => {
	test.each([
		["of it", () => cache.invalidate("one")],
		["of everything", () => cache.invalidateAll()],
		["no invalidation could be received", () => cache.setListening(true)],
	])("%s keeps the stale answer out of the cache and away from later callers", async (_what, change) => {
		const { slow, letGo } = slowRead();
		const before = find("one", slow);
		stored = 2;
		change();
		const after = await find();
		letGo();
		expect([await before, after, await find()]).toEqual([1, 2, 2]);
	});

	test("of another key has no effect", async () => {
		const { slow, letGo } = slowRead();
		const before = find("one", slow);
		cache.invalidate("other");
		letGo();
		await before;
		expect([await find(), reads]).toEqual([1, 1]);
	});
});

describe("a cache", () => {
	test("keeps at most its maximum of entries, and evicts the least recently used first", async () => {
		cache = build(2);
		cache.setListening(true);
		for (const key of ["one", "two", "one", "three"]) await find(key);
		stored = 2;
		expect([await find("one"), await find("three"), await find("two")]).toEqual([1, 1, 2]);
	});

	test("with a maximum of 0 stores nothing", async () => {
		cache = build(0);
		cache.setListening(true);
		await find();
		stored = 2;
		expect(await find()).toBe(2);
	});

	test("stores and shares nothing until invalidations are received", async () => {
		cache.setListening(false);
		await Promise.all([find(), find()]);
		expect([await find(), reads]).toEqual([1, 3]);
		cache.setListening(true);
		await find();
		expect([await find(), reads]).toEqual([1, 4]);
	});

	test("is emptied when invalidations are no longer received", async () => {
		await find();
		stored = 2;
		cache.setListening(false);
		expect(await find()).toBe(2);
	});
});
