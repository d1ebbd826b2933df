import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "./driver-error.ts";

export type DatabaseWait = {
	patienceMs: number;
	signal: AbortSignal | undefined;
	/** Called before each pause, with the reason. */
	onRetry: (error: unknown, pauseMs: number) => void;
};

const pauseMs = { first: 250, max: 5_000 };

/**
 * Does work on a database, again after growing pauses while the database cannot be reached. The work must tolerate being done again.
 * Throws what `work` threw last when the patience is over or the signal is aborted, and at once any other error.
 */
export async function waitForDatabase<T>(
	work: () => Promise<T>,
	{ patienceMs, signal, onRetry }: DatabaseWait,
): Promise<T> {
	const endAt = performance.now() + patienceMs;
	for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.max)) {
		try {
			return await work();
		} catch (error) {
			if (!isUnavailable(error) || performance.now() + pause > endAt) throw error;
			onRetry(error, pause);
			await sleep(pause, undefined, { signal });
		}
	}
}
