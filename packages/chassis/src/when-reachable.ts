import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "@lango/postgres";
import type { Logger } from "./observe.ts";

/** How long a program that starts waits for its database; a database server that is replaced is away about that long at most. */
const patienceMs = 240_000;
const pauseMs = { first: 250, max: 5_000 };

/**
 * Does the first work of a program on its database, again after growing pauses while that cannot be reached, so that a program is
 * there as soon as its database is, and not when whoever starts it again has waited long enough. Throws what `work` threw last when
 * four minutes are over or the signal is aborted; at once when it is anything but that.
 */
export async function whenReachable<T>(
	work: () => Promise<T>,
	{ log, signal }: { log: Pick<Logger, "warn">; signal: AbortSignal | undefined },
): Promise<T> {
	const endAt = performance.now() + patienceMs;
	for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.max)) {
		try {
			return await work();
		} catch (err) {
			if (!isUnavailable(err) || performance.now() + pause > endAt) throw err;
			log.warn({ err, pauseMs: pause }, "the database cannot be reached: it is tried again");
			await sleep(pause, undefined, { signal });
		}
	}
}
