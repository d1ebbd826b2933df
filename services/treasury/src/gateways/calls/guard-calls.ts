import type { Database } from "@lango/postgres";
import {
	BrokenCircuitError,
	BulkheadRejectedError,
	bulkhead,
	CircuitState,
	circuitBreaker,
	handleWhenResult,
	SamplingBreaker,
} from "cockatiel";
import { LRUCache } from "lru-cache";
import { RateLimiterQueue, RateLimiterQueueError } from "rate-limiter-flexible";
import { type Answer, type Refused, refused } from "./answer.ts";
import { ownBucket, sharedBucket } from "./call-bucket.store.ts";

/** What a call uses: the breaker of its operation, the bulkhead of its profile, and a bucket. */
type Use = {
	profileId: string;
	operation: string;
	/** The calls per second, for each key: a shortcode, or the profile. A fifth of them is for queries. */
	bucket: { key: string; perSecond: number; isQuery: boolean };
};

/** Runs a call, or refuses it without a call. */
export type GuardCall = <T>(use: Use, call: () => Promise<Answer<T>>) => Promise<Answer<T>>;

const openMs = 10_000;
const sampleMs = 30_000;
/**
 * Half of at least 20 calls within the time of the sample. The library compares a rate: half a call less,
 * for rounding.
 */
const rule = { threshold: 0.5, duration: sampleMs, minimumRps: (19.5 * 1_000) / sampleMs };
const inFlightMax = 64;
const guardsMax = 5_000;
const waitingSeconds = 2;

/** Codes of a refusal before anything was sent. */
export const notSent = {
	unreachable: "unreachable",
	open: "circuit_open",
	busy: "gateway_busy",
	limited: "rate_limited",
} as const;

const hasFailed = (result: unknown): boolean => {
	const answer = result as Answer<unknown>;
	return answer.is === "unknown" || (answer.is === "refused" && answer.code === notSent.unreachable);
};

const createBreaker = () =>
	circuitBreaker(handleWhenResult(hasFailed), { halfOpenAfter: openMs, breaker: new SamplingBreaker(rule) });

/**
 * Creates the breakers and bulkheads of this process, and the buckets, which all processes on `db` share;
 * without it they are of this process. The names of open breakers are in `openBreakers`.
 */
export function createGuards(openBreakers = new Set<string>(), db?: Database): GuardCall {
	const breakers = cached((name) => {
		const breaker = createBreaker();
		breaker.onStateChange((state) => {
			if (state === CircuitState.Open) openBreakers.add(name);
			else openBreakers.delete(name);
		});
		return breaker;
	});
	const bulkheads = cached(() => bulkhead(inFlightMax, inFlightMax));
	const buckets = new LRUCache<string, RateLimiterQueue>({ max: guardsMax });
	const bucketOf = ({ key, perSecond, isQuery }: Use["bucket"]) => {
		const kept = Math.max(1, Math.floor(perSecond / 5));
		const points = isQuery ? kept : Math.max(1, perSecond - kept);
		const name = `${key} ${points} ${isQuery}`;
		const queue = buckets.get(name) ?? createQueue(db, points);
		buckets.set(name, queue);
		return { queue, key: isQuery ? `${key} queries` : key };
	};
	return async ({ profileId, operation, bucket }, call) => {
		const { queue, key } = bucketOf(bucket);
		const isAdmitted = await queue
			.removeTokens(1, key)
			.then(() => true)
			.catch(isFull);
		if (!isAdmitted) return refusedHere(notSent.limited, "Too many calls to the gateway are waiting.");
		const [breaker, limit] = [breakers(`${profileId} ${operation}`), bulkheads(profileId)];
		try {
			return await limit.execute(() => breaker.execute(call));
		} catch (error) {
			if (error instanceof BrokenCircuitError)
				return refusedHere(notSent.open, "The gateway failed repeatedly and is not called for some seconds.");
			if (error instanceof BulkheadRejectedError)
				return refusedHere(notSent.busy, "Too many calls to the gateway are in progress.");
			throw error;
		}
	};
}

const refusedHere = (code: string, text: string): Refused => refused(code, text, true);

const createQueue = (db: Database | undefined, points: number) =>
	new RateLimiterQueue(db === undefined ? ownBucket(points) : sharedBucket(db, points), {
		maxQueueSize: points * waitingSeconds,
	});

/** The queue rejects when it is full. */
function isFull(error: unknown): false {
	if (error instanceof RateLimiterQueueError) return false;
	throw error;
}

function cached<T extends object>(create: (key: string) => T): (key: string) => T {
	const made = new LRUCache<string, T>({ max: guardsMax, memoMethod: create });
	return (key) => made.memo(key);
}
