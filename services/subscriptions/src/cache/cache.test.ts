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

/** A read that has its answer and gives it when it is let go. */
function slowRead() {
	const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
	const slow = async () => {
		const answer = await read();
		await gate;
		return answer;
	};
	return { slow, letGo };
}

describe("what was read", () => {
	test("is kept, and read once by many who ask at once", async () => {
		expect(await Promise.all([find(), find(), find()])).toEqual([1, 1, 1]);
		stored = 2;
		expect([await find(), reads]).toEqual([1, 1]);
	});

	test("is read again once it was told to have changed, and what others hold stays", async () => {
		await find();
		await find("other");
		stored = 2;
		cache.invalidate("one");
		expect([await find(), await find("other")]).toEqual([2, 1]);
	});

	test("is all read again once everything has changed", async () => {
		await find();
		stored = 2;
		cache.invalidateAll();
		expect(await find()).toBe(2);
	});

	test("is no longer believed after a while, told or not", async () => {
		await find();
		stored = 2;
		time += 59_999;
		expect(await find()).toBe(1);
		time += 1;
		expect(await find()).toBe(2);
	});

	test("is read again at the moment from which it is no longer so", async () => {
		const until = async () => ({ ...(await read()), until: 5_000 });
		await find("one", until);
		stored = 2;
		time = 4_999;
		expect(await find("one", until)).toBe(1);
		time = 5_000;
		expect(await find("one", until)).toBe(2);
	});

	test("is read again when the clock was put back before it", async () => {
		await find();
		stored = 2;
		time = 999;
		expect(await find()).toBe(2);
	});

	test("is not kept when reading it fails, and the failure is told to all who asked", async () => {
		const fails = async (): Promise<{ value: Stored }> => {
			throw new Error("away");
		};
		const both = await Promise.allSettled([find("one", fails), find("one", fails)]);
		expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
		expect(await find()).toBe(1);
	});
});

describe("a change while it is read", () => {
	test.each([
		["of it", () => cache.invalidate("one")],
		["of everything", () => cache.invalidateAll()],
		["nobody could hear of", () => cache.setListening(true)],
	])(
		"%s keeps the old answer out of memory, and who asks after it does not get it",
		async (_what, change) => {
			const { slow, letGo } = slowRead();
			const before = find("one", slow);
			stored = 2;
			change();
			const after = await find();
			letGo();
			expect([await before, after, await find()]).toEqual([1, 2, 2]);
		},
	);

	test("of something else changes nothing", async () => {
		const { slow, letGo } = slowRead();
		const before = find("one", slow);
		cache.invalidate("other");
		letGo();
		await before;
		expect([await find(), reads]).toEqual([1, 1]);
	});
});

describe("a memory", () => {
	test("holds so many at most, and forgets first what was not asked for longest", async () => {
		cache = build(2);
		cache.setListening(true);
		for (const key of ["one", "two", "one", "three"]) await find(key);
		stored = 2;
		expect([await find("one"), await find("three"), await find("two")]).toEqual([1, 1, 2]);
	});

	test("for none keeps nothing", async () => {
		cache = build(0);
		cache.setListening(true);
		await find();
		stored = 2;
		expect(await find()).toBe(2);
	});

	test("that hears of no changes keeps nothing and shares nothing, and begins when it hears", async () => {
		cache.setListening(false);
		await Promise.all([find(), find()]);
		expect([await find(), reads]).toEqual([1, 3]);
		cache.setListening(true);
		await find();
		expect([await find(), reads]).toEqual([1, 4]);
	});

	test("forgets everything when it hears no more", async () => {
		await find();
		stored = 2;
		cache.setListening(false);
		expect(await find()).toBe(2);
	});
});
