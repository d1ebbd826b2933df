import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { failures } from "../failures.ts";

/** Who tries to sign in: which account, from where, and on a device that knows the account, if it does. */
export type Attempt = { account: string; ip: string; device: string | undefined };

/** Counts failed sign-ins only: who signs in takes no lock and is never slowed. */
export type FailureCount = {
	/** Throws `too_many_attempts` with Retry-After while one of the bounds is reached. */
	check(attempt: Attempt): Promise<void>;
	record(attempt: Attempt): Promise<void>;
	/** A success clears the count of this account from this address. */
	clear(attempt: Attempt): Promise<void>;
};

type Bound = { limiter: RateLimiterMemory; key: string };

/**
 * Ten failures a minute of an account from one address, and a hundred a minute from one address whatever the account.
 * An account with a hundred failures in an hour from anywhere is slowed: one attempt in ten seconds is let through.
 * A device the account has signed in on before is counted by itself, so that strangers' failures do not lock it out.
 */
export function createFailureCount(): FailureCount {
	const pair = new RateLimiterMemory({ keyPrefix: "pair", points: 10, duration: 60 });
	const address = new RateLimiterMemory({ keyPrefix: "ip", points: 100, duration: 60 });
	const account = new RateLimiterMemory({ keyPrefix: "account", points: 100, duration: 3_600 });
	const slowed = new RateLimiterMemory({ keyPrefix: "slowed", points: 1, duration: 10 });
	const pairOf = (attempt: Attempt): Bound => ({
		limiter: pair,
		key: `${attempt.account}\n${attempt.device ?? attempt.ip}`,
	});
	const boundsOf = (attempt: Attempt): Bound[] =>
		attempt.device === undefined
			? [pairOf(attempt), { limiter: address, key: attempt.ip }]
			: [pairOf(attempt)];

	return {
		async check(attempt) {
			for (const { limiter, key } of boundsOf(attempt)) {
				const count = await limiter.get(key);
				if (count !== null && count.remainingPoints <= 0) throw refusal(count);
			}
			if (attempt.device !== undefined) return;
			const strangers = await account.get(attempt.account);
			if (strangers !== null && strangers.remainingPoints <= 0)
				await slowed.consume(attempt.account).catch(refuse);
		},
		async record(attempt) {
			const counted = [...boundsOf(attempt), { limiter: account, key: attempt.account }];
			for (const { limiter, key } of counted) await limiter.consume(key).catch(passLimit);
		},
		clear: async (attempt) => {
			const { limiter, key } = pairOf(attempt);
			await limiter.delete(key);
		},
	};
}

function refusal({ msBeforeNext }: RateLimiterRes) {
	const seconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
	return failures.too_many_attempts({ headers: { "retry-after": String(seconds) } });
}

/** The limiter rejects with its count when a bound is reached, and with an error when it is broken. */
function refuse(rejected: unknown): never {
	throw rejected instanceof RateLimiterRes ? refusal(rejected) : rejected;
}

function passLimit(rejected: unknown): void {
	if (!(rejected instanceof RateLimiterRes)) throw rejected;
}
