import { failures } from "../failures.ts";
import type { Limiter, LimiterMaker } from "../limits/limiter.ts";
import { networkOf } from "../limits/network.ts";

/** Who tries to sign in: which account, from where, and on a device that knows the account, if it does. */
export type Attempt = { account: string; ip: string; device: string | undefined };

/** Counts failed sign-ins only: who signs in is never slowed. */
export type FailureCount = {
	/**
	 * Has a password tried, which is proved when that answers something. The attempt counts from before it is tried, so that of many at
	 * once no more are tried than may fail; it is taken back when the password is right, or could not be tried because something
	 * threw. Throws `too_many_attempts` with Retry-After while one of the bounds is reached: then it is not tried, nor counted.
	 */
	attempt<Proof>(who: Attempt, prove: () => Promise<Proof | undefined>): Promise<Proof | undefined>;
};

type Bound = { limiter: Limiter; key: string };

/**
 * Ten failures a minute of an account from one address, and a hundred a minute from one address whatever the account; an IPv6
 * address counts as its /64. An account with a hundred failures in an hour from anywhere is slowed: one attempt in ten
 * seconds is let through. A device the account has signed in on before is counted by itself, so that strangers'
 * failures do not lock it out. A success clears the count of this account from this address.
 */
export function createFailureCount(limiterOf: LimiterMaker): FailureCount {
	const pair = limiterOf({ name: "pair", most: 10, seconds: 60 });
	const address = limiterOf({ name: "ip", most: 100, seconds: 60 });
	const account = limiterOf({ name: "account", most: 100, seconds: 3_600 });
	const slowed = limiterOf({ name: "slowed", most: 1, seconds: 10 });

	const takeBack = async (bounds: readonly Bound[]) => {
		for (const { limiter, key } of bounds) await limiter.takeBack(key);
	};
	/** Counts one at each bound; throws when one is reached, with nothing counted. */
	const take = async (bounds: readonly Bound[]) => {
		for (const [at, { limiter, key }] of bounds.entries()) {
			const { isOver, retryAfterSeconds } = await limiter.count(key);
			if (!isOver) continue;
			await takeBack(bounds.slice(0, at + 1));
			throw failures.too_many_attempts({ headers: { "retry-after": String(retryAfterSeconds) } });
		}
	};
	/** Counts one failure of the account from anywhere; of the many that only strangers are slowed by. */
	const takeAccount = async (key: string, { isStranger }: { isStranger: boolean }) => {
		const { isOver } = await account.count(key);
		if (!isOver || !isStranger) return;
		try {
			await take([{ limiter: slowed, key }]);
		} catch (refusal) {
			await account.takeBack(key);
			throw refusal;
		}
	};

	return {
		async attempt(who, prove) {
			const network = networkOf(who.ip);
			const isStranger = who.device === undefined;
			const own = { limiter: pair, key: `${who.account}\n${who.device ?? network}` };
			const bounds = isStranger ? [{ limiter: address, key: network }, own] : [own];
			await take(bounds);
			const counted = [...bounds, { limiter: account, key: who.account }];
			try {
				await takeAccount(who.account, { isStranger });
			} catch (refusal) {
				await takeBack(bounds);
				throw refusal;
			}
			let proof: Awaited<ReturnType<typeof prove>>;
			try {
				proof = await prove();
			} catch (error) {
				await takeBack(counted);
				throw error;
			}
			if (proof === undefined) return undefined;
			await takeBack(counted);
			await own.limiter.forget(own.key);
			return proof;
		},
	};
}
