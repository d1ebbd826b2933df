import { setTimeout as sleep } from "node:timers/promises";

/**
 * Serialization failure and deadlock: another transaction was in the way, and the same work may succeed
 * now.
 */
const conflictCodes: ReadonlySet<unknown> = new Set(["40001", "40P01"]);
const retriesMax = 5;
const firstDelayMs = 20;

export type RetryOptions = {
	/** From 0 to 1: the share of the delay that is waited. */
	random?: () => number;
};

/**
 * Runs a whole transaction, and runs it again after a conflict with another one, five times at most, after
 * random delays that grow. Throws the last conflict, or any other error at once. `work` opens the
 * transaction itself.
 */
export async function retryConflicts<T>(
	work: () => Promise<T>,
	{ random = Math.random }: RetryOptions = {},
): Promise<T> {
	for (let retries = 0; ; retries += 1) {
		try {
			return await work();
		} catch (error) {
			if (retries === retriesMax || !isConflict(error)) throw error;
			await sleep(random() * firstDelayMs * 2 ** retries);
		}
	}
}

/**
 * Whether an error is a conflict between transactions, so that the same work may succeed when it is
 * repeated.
 */
const isConflict = (error: unknown): boolean =>
	error instanceof Error && "code" in error && conflictCodes.has(error.code);
