import { hash, randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { chassisFailures } from "./failure.ts";
import type { SharedCounts } from "./shared-counts.ts";

/** So many requests are answered in a window. */
export type RateLimit = { requests: number; windowSeconds: number };

/** Counts a request of somebody named; refuses with 429 and Retry-After, and tells the limit either way. */
export type CountRequest = (name: string, reply: FastifyReply) => Promise<void>;

export type Counting = {
	/** For what the answers tell. */
	now: () => Date;
	/** Where all processes count together; undefined: in this process. */
	shared?: SharedCounts | undefined;
};

/** Counts with all processes where they have a place to, else, or while that is away, in this one, in bounded memory. `bound` says what is counted. */
export function countRequests(
	{ requests, windowSeconds }: RateLimit,
	bound: string,
	{ now, shared }: Counting,
): CountRequest {
	const own = new RateLimiterMemory({ points: requests, duration: windowSeconds });
	const common = shared?.limiterOf({ name: bound, points: requests, seconds: windowSeconds });
	const consumeOwn = (name: string) => own.consume(counterOf(name));
	const consume =
		shared === undefined || common === undefined
			? consumeOwn
			: (name: string) =>
					shared.ask(
						() => common.consume(name),
						() => consumeOwn(name),
					);
	return async (name, reply) => {
		try {
			tell(reply, await consume(name), { requests, now: now() });
		} catch (refused) {
			if (!(refused instanceof RateLimiterRes)) throw refused;
			tell(reply, refused, { requests, now: now() });
			throw chassisFailures.rate_limited({ headers: { "retry-after": String(secondsUntilReset(refused)) } });
		}
	};
}

/**
 * Who is counted goes into one of 65,536 counters, by a hash nobody outside can foretell: so the memory is bounded
 * whatever is sent, at the price that two strangers may rarely share a counter.
 */
const salt = randomBytes(16).toString("base64");
const counterOf = (name: string) => hash("sha1", salt + name, "hex").slice(0, 4);

/** The network a request comes from: one IPv6 customer has a whole /64, so that is what is counted. */
export function networkOf({ ip }: FastifyRequest): string {
	if (!isIPv6(ip)) return ip;
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
	if (mapped !== undefined) return mapped;
	const [head = "", tail] = ip.toLowerCase().split("::");
	const before = head === "" ? [] : head.split(":");
	const after = tail === undefined || tail === "" ? [] : tail.split(":");
	const groups =
		tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill("0"), ...after];
	return groups.slice(0, 4).join(":");
}

const secondsUntilReset = ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1_000));

/** X-RateLimit-Reset is a moment in Unix seconds, RateLimit-Reset the seconds until it. */
function tell(
	reply: FastifyReply,
	result: RateLimiterRes,
	{ requests, now }: { requests: number; now: Date },
): void {
	const seconds = secondsUntilReset(result);
	reply.headers({
		"x-ratelimit-limit": requests,
		"x-ratelimit-remaining": result.remainingPoints,
		"x-ratelimit-reset": Math.ceil(now.getTime() / 1_000) + seconds,
		"ratelimit-limit": requests,
		"ratelimit-remaining": result.remainingPoints,
		"ratelimit-reset": seconds,
	});
}
