import { waitForDatabase } from "@lango/postgres";
import type { Logger } from "../observe/observe.ts";

/**
 * How long a starting program waits for its database. A replacement of the database server takes at most
 * about this long.
 */
const patienceMs = 240_000;

/**
 * Runs the first work on a database and retries it with growing pauses while the database is unavailable.
 * Throws the last error after four minutes or when the signal aborts, and any other error immediately.
 */
export function whenReachable<T>(
	work: () => Promise<T>,
	{ log, signal }: { log: Pick<Logger, "warn">; signal: AbortSignal | undefined },
): Promise<T> {
	const onRetry = (err: unknown, pause: number) =>
		log.warn({ err, pauseMs: pause }, "database unavailable, will retry");
	return waitForDatabase(work, { patienceMs, signal, onRetry });
}
