import { createHash } from "node:crypto";
import { createClient } from "@redis/client";
import { type RateLimiterAbstract, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";

/** The counts that all processes of a service share, in Redis or Valkey (REDIS_URL). */
export type SharedCounts = {
	/**
	 * A limiter of `points` per key in `seconds` from the first request. Keys are stored as hashes, because
	 * they contain people and addresses.
	 */
	limiterOf(bound: { name: string; points: number; seconds: number }): SharedLimiter;
	/**
	 * Uses the shared counts. If they do not respond within 250 ms, or failed within the last second, uses
	 * the counts of this process. A refusal (RateLimiterRes) is a normal result and is thrown.
	 */
	ask<T>(shared: () => Promise<T>, own: () => Promise<T>): Promise<T>;
	/** Rejects while the shared counts are unavailable. */
	check(): Promise<void>;
	close(): Promise<void>;
};

type SharedLimiter = Pick<RateLimiterAbstract, "consume" | "penalty" | "reward" | "get" | "delete">;

export type SharedCountsOptions = {
	url: string;
	/** The name of the service, the prefix of its counts. */
	name: string;
	onError: (error: unknown, about: string) => void;
};

const answerMs = 250;
const pauseMs = 1_000;
const reconnectMsMax = 5_000;

/**
 * Opens the shared counts, without waiting for Redis. While Redis is unavailable, each process counts for
 * itself.
 */
export function openSharedCounts({ url, name, onError }: SharedCountsOptions): SharedCounts {
	const client = createClient({
		url,
		name: `lango-${name}`,
		disableOfflineQueue: true,
		commandsQueueMaxLength: 10_000,
		socket: {
			connectTimeout: 2_000,
			reconnectStrategy: (retries) => Math.min(100 * 2 ** Math.min(retries, 6), reconnectMsMax),
		},
	});
	let isUnavailable = false;
	let retryAt = 0;
	const noteUnavailable = (error: unknown) => {
		retryAt = performance.now() + pauseMs;
		if (isUnavailable) return;
		isUnavailable = true;
		onError(error, "shared limits unavailable: each process counts for itself");
	};
	const noteAvailable = () => {
		if (!isUnavailable) return;
		isUnavailable = false;
		onError(undefined, "shared limits available again");
	};
	client.on("error", noteUnavailable);
	client.connect().catch(noteUnavailable);

	return {
		limiterOf: ({ name: bound, points, seconds }) =>
			hashingKeys(
				new RateLimiterRedis({
					storeClient: client,
					useRedisPackage: true,
					rejectIfRedisNotReady: true,
					keyPrefix: `lango:${name}:${bound}:${points}:${seconds}`,
					points,
					duration: seconds,
				}),
			),
		async ask(shared, own) {
			if (performance.now() < retryAt) return own();
			try {
				const answer = await inTime(shared());
				noteAvailable();
				return answer;
			} catch (error) {
				if (error instanceof RateLimiterRes) {
					noteAvailable();
					throw error;
				}
				noteUnavailable(error);
				return own();
			}
		},
		async check() {
			await inTime(client.ping());
		},
		async close() {
			client.destroy();
		},
	};
}

function hashingKeys(limiter: RateLimiterRedis): SharedLimiter {
	const hashed = (key: string | number) =>
		createHash("sha256").update(String(key)).digest("base64url").slice(0, 27);
	return {
		consume: (key, points) => limiter.consume(hashed(key), points),
		penalty: (key, points) => limiter.penalty(hashed(key), points),
		reward: (key, points) => limiter.reward(hashed(key), points),
		get: (key) => limiter.get(hashed(key)),
		delete: (key) => limiter.delete(hashed(key)),
	};
}

/** Rejects if there is no response in time. A later response is ignored. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`no answer within ${answerMs} ms`)), answerMs);
	});
	try {
		return await Promise.race([answer, late]);
	} finally {
		clearTimeout(timer);
	}
}
