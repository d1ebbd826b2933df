import type { FastifyReply } from "fastify";
import { LRUCache } from "lru-cache";
import { RateLimiterRes } from "rate-limiter-flexible";
import { chassisFailures } from "../request/failure.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** The number of requests that are allowed in a window. */
export type RateLimit = { requests: number; windowSeconds: number };

/** Counts a request by name. Refuses with 429 and Retry-After; always sets the headers of the limit. */
export type CountRequest = (name: string, reply: FastifyReply) => Promise<void> | void;

export type Counting = {
	/** For the headers of the response. */
	now: () => Date;
	/** The shared counts of all processes; undefined: each process counts for itself. */
	shared?: SharedCounts | undefined;
};

/** The state of a window after a request was counted. */
type Counted = { count: number; seconds: number };

/** One counter: the count of its window, which ends at a time of `performance.now`. */
type Window = { count: number; endsAt: number };

/** The maximum number of counters; the least recently used one is evicted. */
const countedMax = 65_536;

/**
 * Counts in the shared counts if there are any, otherwise, or while they are unavailable, in this process
 * in bounded memory. `bound` names what is counted.
 */
export function countRequests(limit: RateLimit, bound: string, { now, shared }: Counting): CountRequest {
	const { requests, windowSeconds } = limit;
	const own = countHere(limit);
	const answer = (reply: FastifyReply, { count, seconds }: Counted) => {
		setHeaders(reply, { requests, remaining: Math.max(0, requests - count), seconds, now: now() });
		if (count > requests) throw chassisFailures.rate_limited({ headers: { "retry-after": String(seconds) } });
	};
	if (shared === undefined) return (name, reply) => answer(reply, own(name));
	const common = shared.limiterOf({ name: bound, points: requests, seconds: windowSeconds });
	const consume = (name: string) => common.consume(name).then(countedOf, countedOfRefusal);
	return async (name, reply) =>
		answer(
			reply,
			await shared.ask(
				() => consume(name),
				async () => own(name),
			),
		);
}

const countedOf = ({ consumedPoints: count, msBeforeNext }: RateLimiterRes): Counted => ({
	count,
	seconds: secondsOf(msBeforeNext),
});

/** The library rejects with the state of an exhausted window. */
function countedOfRefusal(refusal: unknown): Counted {
	if (refusal instanceof RateLimiterRes) return countedOf(refusal);
	throw refusal;
}

const secondsOf = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

/** Uses a monotonic clock. */
function countHere({ windowSeconds }: RateLimit): (name: string) => Counted {
	const windows = new LRUCache<string, Window>({ maxSize: countedMax, sizeCalculation: () => 1 });
	const begin = (name: string, at: number): Window => {
		const begun = { count: 0, endsAt: at + windowSeconds * 1_000 };
		windows.set(name, begun);
		return begun;
	};
	return (name) => {
		const at = Math.floor(performance.now()); // Whole milliseconds: of fractions a new window might be a little longer than itself.
		const found = windows.get(name);
		const window = found !== undefined && at < found.endsAt ? found : begin(name, at);
		window.count += 1;
		return { count: window.count, seconds: secondsOf(window.endsAt - at) };
	};
}

type LimitState = { requests: number; remaining: number; seconds: number; now: Date };

/** X-RateLimit-Reset is a time in Unix seconds, RateLimit-Reset the seconds until then. */
function setHeaders(reply: FastifyReply, { requests, remaining, seconds, now }: LimitState): void {
	reply.headers({
		"x-ratelimit-limit": requests,
		"x-ratelimit-remaining": remaining,
		"x-ratelimit-reset": Math.ceil(now.getTime() / 1_000) + seconds,
		"ratelimit-limit": requests,
		"ratelimit-remaining": remaining,
		"ratelimit-reset": seconds,
	});
}
