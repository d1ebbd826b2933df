import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { createLimiter } from "./limiter.ts";

afterEach(() => void vi.useRealTimers());

const bound = { name: "x", most: 3, seconds: 60 };

test("attempts above the limit are over it, per key, until the window ends", async () => {
	vi.useFakeTimers();
	const limiter = createLimiter(bound);
	for (let one = 0; one < 3; one += 1) expect((await limiter.count("a")).isOver).toBe(false);
	vi.advanceTimersByTime(20_000);
	expect(await limiter.count("a")).toEqual({ isOver: true, retryAfterSeconds: 40 });
	expect((await limiter.count("b")).isOver).toBe(false);
	vi.advanceTimersByTime(40_000);
	expect((await limiter.count("a")).isOver).toBe(false);
});

test("of parallel attempts no more than the limit are within it", async () => {
	const limiter = createLimiter(bound);
	const all = await Promise.all(Array.from({ length: 100 }, () => limiter.count("a")));
	expect(all.filter(({ isOver }) => !isOver)).toHaveLength(3);
});

test("an uncounted attempt frees one slot and no more", async () => {
	const limiter = createLimiter(bound);
	await limiter.takeBack("a");
	for (let one = 0; one < 3; one += 1) await limiter.count("a");
	await limiter.takeBack("a");
	expect((await limiter.count("a")).isOver).toBe(false);
	expect((await limiter.count("a")).isOver).toBe(true);
	await limiter.forget("a");
	await limiter.takeBack("a");
	for (let one = 0; one < 3; one += 1) expect((await limiter.count("a")).isOver).toBe(false);
	expect((await limiter.count("a")).isOver).toBe(true);
});

test("beyond the largest number of keys the least recently counted one is evicted", async () => {
	const limiter = createLimiter({ ...bound, most: 1, keysMax: 2 });
	await limiter.count("a");
	await limiter.count("b");
	await limiter.count("a");
	await limiter.count("c");
	expect((await limiter.count("a")).isOver).toBe(true);
	expect((await limiter.count("b")).isOver).toBe(false);
});

test("invented keys take no more memory than the bound", async () => {
	setFlagsFromString("--expose-gc");
	const collect: () => void = runInNewContext("gc");
	const limiter = createLimiter({ ...bound, keysMax: 1_000 });
	const invent = async (from: number) => {
		for (let one = from; one < from + 40_000; one += 1)
			await limiter.count(`somebody-${one}@nowhere.example`);
		collect();
		return process.memoryUsage().heapUsed;
	};
	const before = await invent(0);
	expect((await invent(40_000)) - before).toBeLessThan(5_000_000);
});
