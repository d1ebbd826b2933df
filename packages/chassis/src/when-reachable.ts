import { waitForDatabase } from "@lango/postgres";
import type { Logger } from "./observe.ts";

/** How long a program that starts waits for its database; a database server that is replaced is away about that long at most. */
const patienceMs = 240_000;

/**
 * Does the first work of a program on its database, again after growing pauses while that cannot be reached, so that the program is
 * there as soon as its database is. Throws what `work` threw last when four minutes are over or the signal is aborted; any other error at once.
 */
export function whenReachable<T>(
	work: () => Promise<T>,
	{ log, signal }: { log: Pick<Logger, "warn">; signal: AbortSignal | undefined },
): Promise<T> {
	const onRetry = (err: unknown, pause: number) =>
		log.warn({ err, pauseMs: pause }, "the database cannot be reached: it is tried again");
	return waitForDatabase(work, { patienceMs, signal, onRetry });
}
