import { currentRequestContext, withRequestContext } from "@lango/tracing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Background, type Round, runInBackground } from "./run-in-background.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
	await vi.runOnlyPendingTimersAsync();
	vi.useRealTimers();
});

const pauseMs = { least: 100, most: 1_000 };

/** Background work with the times of its rounds, in ms since the start. */
function begin(
	work: (isStopped: () => boolean) => Promise<Round> = async () => "nothing",
	pauses = pauseMs,
): Background & { rounds: number[]; errors: unknown[]; elapsed: () => number } {
	const startedAt = performance.now();
	const elapsed = () => Math.round(performance.now() - startedAt);
	const rounds: number[] = [];
	const errors: unknown[] = [];
	const background = runInBackground({
		work: (isStopped) => {
			rounds.push(elapsed());
			return work(isStopped);
		},
		pauseMs: pauses,
		onError: (error) => errors.push(error),
	});
	return { ...background, rounds, errors, elapsed };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("pauses double while nothing is found, up to the longest, and are short again after a find", async () => {
	let did: Round = "nothing";
	const { rounds, stop } = begin(async () => did);
	await vi.advanceTimersByTimeAsync(3_500);
	expect(rounds).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500]);
	did = "found";
	await vi.advanceTimersByTimeAsync(1_050);
	did = "nothing";
	await vi.advanceTimersByTimeAsync(350);
	expect(rounds.slice(7)).toEqual([4_500, 4_600, 4_700, 4_900]);
	await stop();
});

test("a round that leaves more is followed by another one at once", async () => {
	let left = 3;
	const { rounds, stop } = begin(async () => (left-- > 0 ? "more" : "nothing"));
	await vi.advanceTimersByTimeAsync(50);
	expect(rounds).toEqual([0, 0, 0, 0]);
	await stop();
});

test("a wake starts a round at once, and short pauses", async () => {
	const { rounds, wake, stop } = begin();
	await vi.advanceTimersByTimeAsync(1_800);
	wake();
	await vi.advanceTimersByTimeAsync(350);
	expect(rounds.slice(5)).toEqual([1_800, 1_900, 2_100]);
	await stop();
});

test("wakes right after a round share the next one, ten milliseconds later", async () => {
	const { rounds, wake, stop } = begin();
	await vi.advanceTimersByTimeAsync(2);
	wake();
	await vi.advanceTimersByTimeAsync(3);
	wake();
	await vi.advanceTimersByTimeAsync(50);
	expect(rounds).toEqual([0, 10]);
	await stop();
});

test("a wake during a round is followed by another round", async () => {
	const { rounds, wake, stop } = begin(() => sleep(40).then(() => "found"), { least: 5_000, most: 5_000 });
	await vi.advanceTimersByTimeAsync(39);
	wake();
	await vi.advanceTimersByTimeAsync(100);
	expect(rounds).toEqual([0, 50]);
	await stop();
});

test("whenever a wake comes, a round starts after it, and soon", async () => {
	let seed = 15;
	const random = (below: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
		return seed % below;
	};
	const roundMs = 20;
	const { rounds, wake, elapsed, stop } = begin(() => sleep(random(roundMs)).then(() => "found"), {
		least: 60_000,
		most: 60_000,
	});
	const wakes: number[] = [];
	for (let n = 0; n < 500; n += 1) {
		await vi.advanceTimersByTimeAsync(random(30));
		wakes.push(elapsed());
		wake();
	}
	await vi.advanceTimersByTimeAsync(1_000);
	const late = wakes.filter((at) => !rounds.some((start) => start >= at && start <= at + roundMs + 10));
	expect(late).toEqual([]);
	expect(rounds.length).toBeLessThanOrEqual(wakes.length + 1);
	await stop();
});

test("a wake for later starts a round at its time, also if others come before", async () => {
	const { rounds, wake, stop } = begin(async () => "found", { least: 60_000, most: 60_000 });
	wake(700);
	wake(300);
	await vi.advanceTimersByTimeAsync(1_000);
	expect(rounds).toEqual([0, 300, 700]);
	await stop();
});

test("after a failure a wake waits too, up to two seconds; a success ends this", async () => {
	let isBroken = true;
	const broken = new Error("the database is away");
	const { rounds, errors, wake, stop } = begin(async () => {
		if (isBroken) throw broken;
		return "nothing";
	});
	const waking = setInterval(() => wake(), 70);
	await vi.advanceTimersByTimeAsync(7_400);
	expect(rounds).toEqual([0, 500, 1_500, 3_500, 5_500]);
	expect(errors).toEqual(rounds.map(() => broken));
	isBroken = false;
	await vi.advanceTimersByTimeAsync(250);
	expect(rounds.slice(5, 8)).toEqual([7_500, 7_560, 7_630]);
	clearInterval(waking);
	await stop();
});

test("work at long intervals is repeated after a failure when it is woken, and else at its interval", async () => {
	const { rounds, wake, stop } = begin(async () => "failed", { least: 60_000, most: 60_000 });
	await vi.advanceTimersByTimeAsync(60_000);
	wake();
	await vi.advanceTimersByTimeAsync(1_500);
	expect(rounds).toEqual([0, 60_000, 61_000]);
	await stop();
});

test("an expensive round that finds nothing takes a fifth of the time at most", async () => {
	const { rounds, wake, stop } = begin(() => sleep(200).then(() => "nothing"));
	const waking = setInterval(() => wake(), 50);
	await vi.advanceTimersByTimeAsync(2_100);
	expect(rounds).toEqual([0, 1_000, 2_000]);
	clearInterval(waking);
	await vi.advanceTimersByTimeAsync(200);
	await stop();
});

test("stop ends a pause at once, waits for a round, and nothing starts afterwards", async () => {
	const idle = begin();
	await vi.advanceTimersByTimeAsync(50);
	idle.wake(500);
	await idle.stop();
	idle.wake();
	const busy = begin(async (isStopped) => {
		while (!isStopped()) await sleep(10);
		await sleep(70);
		return "more";
	});
	await vi.advanceTimersByTimeAsync(25);
	let isStopped = false;
	const stopping = busy.stop().then(() => {
		isStopped = true;
	});
	await vi.advanceTimersByTimeAsync(60);
	expect(isStopped).toBe(false);
	await vi.advanceTimersByTimeAsync(5_000);
	await stopping;
	expect([idle.rounds, busy.rounds]).toEqual([[0], [0]]);
});

test("a round has neither the request context of the start nor of a wake", async () => {
	const seen: unknown[] = [];
	const context = { correlationId: "a request", tracer: undefined, span: undefined, at: undefined };
	const { wake, stop } = withRequestContext(context, () =>
		begin(async () => {
			seen.push(currentRequestContext());
			return "nothing";
		}),
	);
	await vi.advanceTimersByTimeAsync(50);
	withRequestContext(context, () => wake());
	await vi.advanceTimersByTimeAsync(1);
	expect(seen).toEqual([undefined, undefined]);
	await stop();
});
