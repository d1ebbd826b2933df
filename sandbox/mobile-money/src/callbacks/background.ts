import { setTimeout as sleep } from "node:timers/promises";

/** Work that follows a call after its answer. */
export type Background = {
	/** Calls `work` after this real time, unless everything is cleared before. */
	run(afterMs: number, work: () => unknown): void;
	clear(): void;
};

/** Errors of the work go to standard error, except those of deliveries that were ended. */
export function createBackground(): Background {
	let ending = new AbortController();
	return {
		run: (afterMs, work) => {
			const { signal } = ending;
			sleep(afterMs, undefined, { signal })
				.then(work)
				.catch((error: Error) => {
					if (!signal.aborted) process.stderr.write(`${error.stack}\n`);
				});
		},
		clear: () => {
			ending.abort();
			ending = new AbortController();
		},
	};
}
