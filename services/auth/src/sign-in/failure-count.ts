import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { failures } from "../failures.ts";

/** Who fails to sign in: which account, from where. */
type Attempt = { account: string; ip: string };

/** Counts failed sign-ins only: who signs in takes no lock and is never slowed. */
export type FailureCount = {
	/** Throws `too_many_attempts` with Retry-After while one of the bounds is reached. */
	check(attempt: Attempt): Promise<void>;
	record(attempt: Attempt): Promise<void>;
	/** A success clears the count of this account from this address. */
	clear(attempt: Attempt): Promise<void>;
};

/** Ten failures a minute of an account from one address, and a hundred a minute from one address, whatever the account. */
export function createFailureCount(): FailureCount {
	const pair = new RateLimiterMemory({ keyPrefix: "pair", points: 10, duration: 60 });
	const address = new RateLimiterMemory({ keyPrefix: "ip", points: 100, duration: 60 });
	const pairKey = ({ account, ip }: Attempt) => `${account}\n${ip}`;

	return {
		async check(attempt) {
			const counts = await Promise.all([pair.get(pairKey(attempt)), address.get(attempt.ip)]);
			const full = counts.find((count) => count !== null && count.remainingPoints <= 0);
			if (full)
				throw failures.too_many_attempts({
					headers: { "retry-after": String(Math.max(1, Math.ceil(full.msBeforeNext / 1_000))) },
				});
		},
		async record(attempt) {
			for (const [limiter, key] of [
				[pair, pairKey(attempt)],
				[address, attempt.ip],
			] as const)
				await limiter.consume(key).catch((refused) => {
					if (!(refused instanceof RateLimiterRes)) throw refused;
				});
		},
		clear: async (attempt) => void (await pair.delete(pairKey(attempt))),
	};
}
