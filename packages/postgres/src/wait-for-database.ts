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
 * Runs `work` and retries it with growing pauses while the database is unavailable. `work` must be
 * idempotent. Throws the last error when the time limit is reached or the signal aborts, and any other error
 * immediately.
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
