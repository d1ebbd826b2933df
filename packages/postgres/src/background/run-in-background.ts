import { outsideTransactions, withoutRequestContext } from "@lango/tracing";

/** What a round did: "more" starts another one at once; "failed" has reported its errors. */
export type Round = "more" | "found" | "nothing" | "failed";

export type BackgroundOptions = {
	/** One round. Checks `isStopped` between its items. */
	work: (isStopped: () => boolean) => Promise<Round>;
	/** The pause after a round that found something. Each round that finds nothing doubles it, up to `most`. */
	pauseMs: { least: number; most: number };
	/** Called with what `work` throws, which counts as a failed round. */
	onError: (error: unknown) => void;
};

/** Background work of a process: one round at a time. */
export type Background = {
	/** Starts a round, now or after a time; during a round, another one after it. */
	wake(afterMs?: number): void;
	/** Stops, and resolves when the round in progress has ended. */
	stop(): Promise<void>;
};

/** The pause after a round that a wake does not shorten: what is committed meanwhile shares a round. */
const gatherMs = 10;
/** With many waiting rows an empty round is expensive: such rounds take a fifth of the time at most. */
const emptyShare = 4;
/** The pause after a failure, for a wake too: nothing works at once that did not work just now. */
const failureMs = { first: 500, most: 2_000 };
const doublingsMax = 20;

/**
 * Runs rounds of `work` until it is stopped: at once, at every `wake`, and after pauses that grow while
 * nothing is found. Rounds share neither the transaction nor the request context of the caller that wakes
 * them.
 */
export function runInBackground({ work, pauseMs, onError }: BackgroundOptions): Background {
	const pausesAfter = pausing(pauseMs);
	const timers = new Set<NodeJS.Timeout>();
	let isStopped = false;
	let isWoken = false;
	/** Ends the current pause. `onStop` during the part that only a stop ends. */
	let end: { onStop?: () => void; onWake?: () => void } = {};

	const pause = async (ms: number, endOf: (resolve: () => void) => typeof end): Promise<void> => {
		if (isStopped || ms <= 0) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(resolve, ms);
		end = endOf(resolve);
		await promise;
		end = {};
		clearTimeout(timer);
	};
	const round = async (): Promise<Round> => {
		try {
			return await work(() => isStopped);
		} catch (error) {
			onError(error);
			return "failed";
		}
	};
	const run = async (): Promise<void> => {
		while (!isStopped) {
			const wasWoken = isWoken;
			isWoken = false;
			const startedAt = performance.now();
			const did = await round();
			const tookMs = performance.now() - startedAt;
			const { fixedMs, restMs } = pausesAfter(did, { tookMs, wasWoken });
			await pause(fixedMs, (onStop) => ({ onStop }));
			if (!isWoken) await pause(restMs, (resolve) => ({ onStop: resolve, onWake: resolve }));
		}
	};
	const wakeNow = () => {
		isWoken = true;
		end.onWake?.();
	};
	const running = outsideTransactions(() => withoutRequestContext(run));
	return {
		wake(afterMs = 0) {
			if (isStopped) return;
			if (afterMs <= 0) return wakeNow();
			const timer = setTimeout(() => {
				timers.delete(timer);
				wakeNow();
			}, afterMs);
			timers.add(timer);
		},
		async stop() {
			isStopped = true;
			for (const timer of timers) clearTimeout(timer);
			end.onStop?.();
			await running;
		},
	};
}

type Pauses = { fixedMs: number; restMs: number };

/** Returns the pauses after each round: the part that a wake does not shorten, and the rest. */
function pausing({ least, most }: BackgroundOptions["pauseMs"]) {
	let empty = 0;
	let failures = 0;
	return (did: Round, { tookMs, wasWoken }: { tookMs: number; wasWoken: boolean }): Pauses => {
		if (did === "failed") {
			const grown = Math.min(failureMs.first * 2 ** failures, failureMs.most);
			failures = Math.min(failures + 1, doublingsMax);
			return { fixedMs: grown, restMs: least - grown };
		}
		failures = 0;
		// A wake with nothing to find: another process is at work on it.
		if (did !== "nothing" || wasWoken) empty = 0;
		if (did === "more") return { fixedMs: 0, restMs: 0 };
		const pauseMs = Math.min(least * 2 ** empty, most);
		const shareMs = did === "nothing" ? Math.min(emptyShare * tookMs, failureMs.most) : 0;
		if (did === "nothing") empty = Math.min(empty + 1, doublingsMax);
		const fixedMs = Math.max(Math.min(gatherMs, least), shareMs);
		return { fixedMs, restMs: pauseMs - fixedMs };
	};
}
