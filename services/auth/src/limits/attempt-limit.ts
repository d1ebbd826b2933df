import { chassisFailures, networkOf } from "@lango/chassis";
import type { Limiter } from "./limiter.ts";

/** Bounds how often something is tried from one address (IPv6: from one /64), or by one person. */
export type AttemptLimit = {
	/** Counts one. Throws `rate_limited` with Retry-After, and counts nothing, when that is one too many. */
	take(key: string): Promise<void>;
	/** Takes one back that turned out not to count. */
	giveBack(key: string): Promise<void>;
};

/** Counts with a limiter, for each key. */
export function createAttemptLimit(limiter: Limiter): AttemptLimit {
	return {
		async take(given) {
			const key = networkOf(given);
			const { isOver, retryAfterSeconds } = await limiter.count(key);
			if (!isOver) return;
			await limiter.takeBack(key);
			throw chassisFailures.rate_limited({ headers: { "retry-after": String(retryAfterSeconds) } });
		},
		giveBack: (given) => limiter.takeBack(networkOf(given)),
	};
}
