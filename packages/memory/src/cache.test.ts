import { setTransactionGuard, TransactionOpen, withOpenTransaction } from "@lango/tracing";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Cache, createCache } from "./cache.ts";

type Value = { is: number; until?: number };

let time: number;
let stored: number;
let reads: number;
let cache: Cache<Value>;

const build = (sizeMax = 10) =>
	createCache<Value>({
		now: () => new Date(time),
		sizeMax,
		maxAgeMs: 60_000,
		untilOf: ({ until = Number.POSITIVE_INFINITY }) => until,
	});
const read = async (): Promise<Value> => {
	reads += 1;
	return { is: stored };
};
const load = async (key = "one", from: () => Promise<Value> = read) => (await cache.load(key, from)).is;
const put = (value: Value, key = "one") => {
	cache.set(key, value);
	const entry = cache.get(key);
	if (entry === undefined) throw new Error("not cached");
	return entry;
};

/** A read that responds when it is released. */
function slowRead() {
	const { promise: gate, resolve: release } = Promise.withResolvers<void>();
	const slow = async () => {
		const value = await read();
		await gate;
		return value;
	};
	return { slow, release };
}

beforeEach(() => {
	[time, stored, reads] = [1_000, 1, 0];
	cache = build();
});

describe("a cached value", () => {
	test("is read once by concurrent callers, and then cached", async () => {
		expect(await Promise.all([load(), load(), load()])).toEqual([1, 1, 1]);
		stored = 2;
		expect([await load(), reads]).toEqual([1, 1]);
	});

	test("is read again after an invalidation; other keys stay cached", async () => {
		await load();
		await load("other");
		stored = 2;
		cache.invalidate("one");
		expect([await load(), await load("other")]).toEqual([2, 1]);
	});

	test.each([
		["everything", () => cache.invalidateAll()],
		["the keys that match", () => cache.invalidateWhere((key) => key === "one")],
		["the values that match", () => cache.invalidateWhere((_key, { is }) => is === 1)],
	])("is read again after an invalidation of %s", async (_what, invalidate) => {
		await load();
		stored = 2;
		invalidate();
		expect(await load()).toBe(2);
	});

	test("stays cached if others are invalidated", async () => {
		await load();
		cache.invalidateWhere((key, { is }) => key === "other" || is === 2);
		expect([await load(), reads]).toEqual([1, 1]);
	});

	test("expires after its maximum age, counted from the beginning of its read", async () => {
		await load("one", async () => {
			time += 10;
			return read();
		});
		stored = 2;
		time += 59_989;
		expect(await load()).toBe(1);
		time += 1;
		expect(await load()).toBe(2);
	});

	test("expires at its own time", async () => {
		const until = async () => ({ ...(await read()), until: 5_000 });
		await load("one", until);
		stored = 2;
		time = 4_999;
		expect(await load("one", until)).toBe(1);
		time = 5_000;
		expect(await load("one", until)).toBe(2);
	});

	test("expires when the clock is set back", async () => {
		await load();
		stored = 2;
		time = 999;
		expect(await load()).toBe(2);
	});

	test("is read again by a refresh, which concurrent callers share", async () => {
		await load();
		stored = 2;
		const both = await Promise.all([cache.refresh("one", read), cache.refresh("one", read)]);
		expect([both.map(({ is }) => is), await load(), reads]).toEqual([[2, 2], 2, 2]);
	});
});

describe("a read", () => {
	test("that fails is not stored, every concurrent caller receives the error, and the last entry stays", async () => {
		const fails = async (): Promise<Value> => {
			throw new Error("unavailable");
		};
		await load();
		time += 60_000;
		const both = await Promise.allSettled([load("one", fails), load("one", fails)]);
		expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
		expect([cache.get("one"), cache.last("one")?.value.is]).toEqual([undefined, 1]);
		stored = 2;
		expect(await load()).toBe(2);
	});

	test("that finds nothing is not stored, and removes the last entry", async () => {
		await load();
		time += 60_000;
		expect(await cache.load("one", async () => undefined)).toBeUndefined();
		expect(cache.last("one")).toBeUndefined();
	});

	test("of another variant is not shared, and is invalidated with its key", async () => {
		const { slow, release } = slowRead();
		const before = ["a", "b"].map((variant) => cache.refresh("one", slow, variant));
		cache.invalidate("one");
		const after = cache.refresh("one", read, "a");
		release();
		await Promise.all([...before, after]);
		stored = 2;
		expect([await load(), reads]).toEqual([1, 3]);
	});

	test("is refused inside an open transaction, also if the value is cached", async () => {
		setTransactionGuard("throw");
		onTestFinished(() => setTransactionGuard("report"));
		await load();
		const pool = { name: "test", onViolation: () => undefined };
		for (const inside of [() => cache.load("one", read), () => cache.refresh("one", read)])
			await expect(withOpenTransaction(pool, inside)).rejects.toBeInstanceOf(TransactionOpen);
	});
});

describe("an invalidation during a read", () => {
	const changes: Array<[string, () => void]> = [
		["of its key", () => cache.invalidate("one")],
		["of some keys", () => cache.invalidateWhere(() => false)],
		["of everything", () => cache.invalidateAll()],
		["by expiry", () => cache.expireAll()],
		["because invalidations may have been missed", () => cache.setListening(true)],
	];

	test.each(changes)(
		"%s keeps the outdated result out of the cache and away from later callers",
		async (...of) => {
			const { slow, release } = slowRead();
			const before = load("one", slow);
			stored = 2;
			of[1]();
			const after = await load();
			release();
			expect([await before, after, await load()]).toEqual([1, 2, 2]);
		},
	);

	test.each(changes)("%s keeps a result of `begin` out of the cache", (_what, change) => {
		const [early, late] = [cache.begin(), () => cache.begin()];
		change();
		early("one", { is: 1 });
		expect(cache.last("one")).toBeUndefined();
		late()("one", { is: 2 });
		expect(cache.get("one")?.value.is).toBe(2);
	});

	test("of another key has no effect", async () => {
		const { slow, release } = slowRead();
		const before = load("one", slow);
		cache.invalidate("other");
		release();
		await before;
		expect([await load(), reads]).toEqual([1, 1]);
	});
});

describe("an entry is current", () => {
	test("until it is invalidated, replaced, expired or evicted", () => {
		cache = build(2);
		const ends: Array<() => void> = [
			() => cache.invalidate("one"),
			() => cache.invalidateWhere(() => true),
			() => cache.invalidateAll(),
			() => cache.expireAll(),
			() => cache.setListening(true),
			() => void put({ is: 2 }),
			() => ["a", "b"].map((key) => put({ is: 2 }, key)),
		];
		for (const end of ends) {
			const entry = put({ is: 1 });
			expect(cache.isCurrent(entry)).toBe(true);
			end();
			expect(cache.isCurrent(entry)).toBe(false);
		}
	});

	test("until its own time, to the millisecond", () => {
		const entry = put({ is: 1, until: 1_500 });
		time = 1_499;
		expect(cache.isCurrent(entry)).toBe(true);
		time = 1_500;
		expect([cache.isCurrent(entry), cache.get("one")]).toEqual([false, undefined]);
	});

	test("for at most a second, so that an entry in use is not evicted before others", () => {
		cache = build(2);
		const entry = put({ is: 1 });
		put({ is: 1 }, "a");
		time += 1_000;
		expect(cache.isCurrent(entry)).toBe(false);
		expect([cache.get("one") === entry, cache.isCurrent(entry)]).toEqual([true, true]);
		put({ is: 1 }, "b");
		expect(cache.isCurrent(entry)).toBe(true);
	});
});

describe("versions", () => {
	beforeEach(() => {
		cache = createCache({
			now: () => new Date(time),
			sizeMax: 10,
			maxAgeMs: 60_000,
			versionOf: ({ is }) => is,
		});
	});

	test("a value is not set over one of the same or a higher version, also if that has expired", () => {
		cache.set("one", { is: 2 }, 900);
		cache.expireAll();
		for (const is of [1, 2]) cache.set("one", { is });
		expect(cache.last("one")).toMatchObject({ value: { is: 2 }, from: 900, isInvalidated: true });
		cache.set("one", { is: 3 });
		expect(cache.get("one")?.value.is).toBe(3);
	});

	test("the result of a read does not replace a higher version that was set during it, and is not returned", async () => {
		const { slow, release } = slowRead();
		const found = load("one", slow);
		cache.set("one", { is: 2 });
		release();
		expect([await found, cache.get("one")?.value.is]).toEqual([2, 2]);
	});

	test("the result of a read replaces a higher version from before it, as after a restored backup", async () => {
		cache.set("one", { is: 9 });
		expect([(await cache.refresh("one", read)).is, cache.get("one")?.value.is]).toEqual([1, 1]);
	});
});

describe("a cache", () => {
	test("with a maximum of 0 stores nothing", async () => {
		cache = build(0);
		await load();
		stored = 2;
		expect(await load()).toBe(2);
	});

	test("stores and shares nothing while invalidations are not received", async () => {
		cache.setListening(false);
		await Promise.all([load(), load()]);
		cache.set("one", { is: 7 });
		cache.begin()("one", { is: 7 });
		expect([await load(), reads]).toEqual([1, 3]);
		cache.setListening(true);
		await load();
		expect([await load(), reads]).toEqual([1, 4]);
	});

	test("can begin without receiving invalidations", async () => {
		cache = createCache({ now: () => new Date(time), sizeMax: 10, maxAgeMs: 60_000, isListening: false });
		await load();
		expect(cache.last("one")).toBeUndefined();
	});

	test("is emptied when invalidations are no longer received", async () => {
		await load();
		cache.setListening(false);
		expect(cache.last("one")).toBeUndefined();
	});

	test("keeps at most its maximum of entries: those used last", () => {
		const names = [..."abcdefghij"];
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 5 }),
				fc.array(fc.constantFrom(...names), { maxLength: 60 }),
				(sizeMax, keys) => {
					cache = build(sizeMax);
					for (const key of keys) cache.get(key) ?? cache.set(key, { is: 1 });
					const lastUsed = [...new Set(keys.toReversed())].slice(0, sizeMax);
					expect(names.filter((key) => cache.last(key) !== undefined)).toEqual(lastUsed.toSorted());
				},
			),
		);
	});

	test("never returns a value from before the last invalidation to a later caller, in any order of events", async () => {
		const step = fc.constantFrom("change", "load", "refresh", "answer", "later" as const);
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
				cache = build();
				stored = 0;
				const waiting: Array<() => void> = [];
				const checks: Array<Promise<void>> = [];
				const slow = () => {
					const is = stored;
					return new Promise<Value>((resolve) => waiting.push(() => resolve({ is })));
				};
				const ask = (found: Promise<Value>) => {
					const atLeast = stored;
					checks.push(found.then(({ is }) => expect(is).toBeGreaterThanOrEqual(atLeast)));
				};
				const run = {
					change: () => {
						stored += 1;
						cache.invalidate("one");
					},
					load: () => ask(cache.load("one", slow)),
					refresh: () => ask(cache.refresh("one", slow)),
					answer: () => waiting.pop()?.(),
					later: () => {
						time += 30_000;
					},
				};
				for (const one of steps) {
					run[one]();
					await Promise.resolve();
				}
				for (const answer of waiting) answer();
				await Promise.all(checks);
			}),
		);
	});
});
