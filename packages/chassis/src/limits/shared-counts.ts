import { createHash } from "node:crypto";
import { createClient } from "@redis/client";
import { type RateLimiterAbstract, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";

/** Counts that all processes of a service have in common, in Redis or Valkey (REDIS_URL). */
export type SharedCounts = {
	/**
	 * Counts by key, so many points in so many seconds from the first. Keys are kept as hashes: they name
	 * people and addresses.
	 */
	limiterOf(bound: { name: string; points: number; seconds: number }): SharedLimiter;
	/**
	 * Uses the shared counts. If they do not respond within 250 ms, or failed within the last second, uses
	 * the counts of this process. A refusal (RateLimiterRes) is a normal result and is thrown.
	 */
	ask<T>(shared: () => Promise<T>, own: () => Promise<T>): Promise<T>;
	/** Rejects while the shared counts cannot be asked. */
	check(): Promise<void>;
	close(): Promise<void>;
};

type SharedLimiter = Pick<RateLimiterAbstract, "consume" | "penalty" | "reward" | "get" | "delete">;

export type SharedCountsOptions = {
	url: string;
	/** The service: what it counts is its own. */
	name: string;
	onTrouble: (error: unknown, about: string) => void;
};

const answerMs = 250;
const pauseMs = 1_000;
const reconnectMsMax = 5_000;

/**
 * Opens the shared counts. It neither waits for Redis nor fails without it: until it answers, each process
 * counts for itself.
 */
export function openSharedCounts({ url, name, onTrouble }: SharedCountsOptions): SharedCounts {
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
	let isAway = false;
	let askAgainAt = 0;
	const noteAway = (error: unknown) => {
		askAgainAt = performance.now() + pauseMs;
		if (isAway) return;
		isAway = true;
		onTrouble(error, "shared limits are away: each process counts for itself");
	};
	const noteBack = () => {
		if (!isAway) return;
		isAway = false;
		onTrouble(undefined, "shared limits are back");
	};
	client.on("error", noteAway);
	client.connect().catch(noteAway);

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
			if (performance.now() < askAgainAt) return own();
			try {
				const answer = await inTime(shared());
				noteBack();
				return answer;
			} catch (error) {
				if (error instanceof RateLimiterRes) {
					noteBack();
					throw error;
				}
				noteAway(error);
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

/** A server that is there and says nothing is away, too; what it says later is not waited for. */
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
