import { isUnavailable } from "@lango/postgres";
import type { Lane } from "./claim.store.ts";
import type { Result } from "./settle.store.ts";

/** Collects results, and settles them in batches of one tenant. */
export type Settling = {
	/** Adds a result. Resolves when it is settled, or was given up. */
	add(lane: Lane, result: Result): Promise<void>;
	/** Settles everything that was added. What then still fails after half a minute is given up. */
	flush(): Promise<void>;
};

export type SettlingOptions = {
	/** Settles the results of one tenant in one transaction. */
	settle: (batch: { tenantId: string; results: readonly Result[] }) => Promise<unknown>;
	/** Called when a batch could not be settled and is tried again, or given up: its leases then run out. */
	onError: (error: unknown, about: { results: number; willRetry: boolean }) => void;
};

const batchMax = 50;
const waitMs = 20;
/** Half a minute. */
const retriesMax = 8;
/** Ten minutes: what providers answered is still known after an outage of the database. */
const retriesInOutageMax = 80;
const retryFirstMs = 250;
const retryMaxMs = 8_000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Creates the collection of results. Urgent ones are settled at once, others when 50 of a tenant came
 * together, after 20 ms at the latest. A batch that fails is retried for half a minute; for ten minutes while
 * the database is unavailable, unless the process stops.
 */
export function createSettling({ settle, onError }: SettlingOptions): Settling {
	type Batch = { results: Result[]; done: Promise<void>; start: () => void };
	const open = new Map<string, Batch>();
	const running = new Set<Promise<void>>();
	let isStopping = false;

	const mayRetry = (error: unknown, retry: number) =>
		retry < (isUnavailable(error) && !isStopping ? retriesInOutageMax : retriesMax);
	const settleWithRetries = async (tenantId: string, results: readonly Result[]) => {
		for (let retry = 0; ; retry++) {
			try {
				await settle({ tenantId, results });
				return;
			} catch (error) {
				const willRetry = mayRetry(error, retry);
				onError(error, { results: results.length, willRetry });
				if (!willRetry) return;
				await sleep(Math.min(retryFirstMs * 2 ** retry, retryMaxMs));
			}
		}
	};
	const begin = (tenantId: string): Batch => {
		const { promise, resolve } = Promise.withResolvers<void>();
		const results: Result[] = [];
		const start = () => {
			if (open.get(tenantId) !== batch) return;
			open.delete(tenantId);
			clearTimeout(timer);
			const work = settleWithRetries(tenantId, results).finally(() => {
				running.delete(work);
				resolve();
			});
			running.add(work);
		};
		const timer = setTimeout(start, waitMs);
		const batch: Batch = { results, done: promise, start };
		open.set(tenantId, batch);
		return batch;
	};
	return {
		add({ tenantId, messageClass }, result) {
			const batch = open.get(tenantId) ?? begin(tenantId);
			batch.results.push(result);
			if (messageClass === "urgent" || batch.results.length >= batchMax) batch.start();
			return batch.done;
		},
		async flush() {
			isStopping = true;
			for (const batch of [...open.values()]) batch.start();
			await Promise.all(running);
		},
	};
}
