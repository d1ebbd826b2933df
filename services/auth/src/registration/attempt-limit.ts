import { chassisFailures } from "@lango/chassis";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Bounds how often something is tried from one address. */
export type AttemptLimit = {
	/** Throws `rate_limited` with Retry-After while the bound is reached. */
	check(ip: string): Promise<void>;
	/** Counts one. */
	count(ip: string): Promise<void>;
	/** Counts one, and throws when that is one too many. */
	take(ip: string): Promise<void>;
};

/** So many in so many seconds, from each address. */
export function createAttemptLimit(bound: { name: string; most: number; seconds: number }): AttemptLimit {
	const limiter = new RateLimiterMemory({
		keyPrefix: bound.name,
		points: bound.most,
		duration: bound.seconds,
	});
	const refuse = ({ msBeforeNext }: RateLimiterRes) =>
		chassisFailures.rate_limited({
			headers: { "retry-after": String(Math.max(1, Math.ceil(msBeforeNext / 1_000))) },
		});
	const consume = async (ip: string) => {
		try {
			await limiter.consume(ip);
			return undefined;
		} catch (refused) {
			if (refused instanceof RateLimiterRes) return refused;
			throw refused;
		}
	};
	return {
		async check(ip) {
			const counted = await limiter.get(ip);
			if (counted !== null && counted.remainingPoints <= 0) throw refuse(counted);
		},
		count: async (ip) => void (await consume(ip)),
		async take(ip) {
			const refused = await consume(ip);
			if (refused !== undefined) throw refuse(refused);
		},
	};
}
