import { networkOf } from "@lango/chassis";
import { failures } from "../failures.ts";
import type { Limiter, LimiterMaker } from "./limiter.ts";

/**
 * A sign-in attempt: the account, the IP address, and the id of a device that has signed in to the account
 * before.
 */
export type Attempt = { account: string; ip: string; device: string | undefined };

/** Counts failed sign-ins. Successful sign-ins are not limited here. */
export type FailureCount = {
	/**
	 * Runs `prove`, which returns undefined for a wrong password. The attempt is counted before `prove` runs,
	 * so that parallel attempts cannot exceed a limit. It is uncounted when the password is right or when
	 * `prove` throws. Throws `too_many_attempts` with Retry-After while a limit is reached. A rejected
	 * attempt changes no count and extends no wait.
	 */
	attempt<Proof>(who: Attempt, prove: () => Promise<Proof | undefined>): Promise<Proof | undefined>;
};

type Bound = { limiter: Limiter; key: string };

/**
 * The limits: an account from one address fails at most 10 times a minute and 30 times an hour; one address
 * fails at most 100 times a minute; an IPv6 address counts as its /64. After 100 failures within an hour an
 * account is slowed: unknown devices get one attempt in ten seconds. The hourly limit is below 100, so one
 * address cannot slow an account, and cannot take all the attempts of a slowed one. A device that signed in
 * to the account before has limits of its own, and failures elsewhere do not lock it out. After 100
 * failures within an hour on such devices of an account, its devices are treated as unknown: a person who
 * knew an earlier password may have collected the marks of many (decision 0021). A success clears the
 * failures of this account from this address.
 */
export function createFailureCount(limiterOf: LimiterMaker): FailureCount {
	const pair = limiterOf({ name: "pair", most: 10, seconds: 60 });
	const pairHour = limiterOf({ name: "pair-hour", most: 30, seconds: 3_600 });
	const address = limiterOf({ name: "ip", most: 100, seconds: 60 });
	const account = limiterOf({ name: "account", most: 100, seconds: 3_600 });
	const slowed = limiterOf({ name: "slowed", most: 1, seconds: 10 });
	const devices = limiterOf({ name: "devices", most: 100, seconds: 3_600 });

	/** The limits of an attempt; a success clears those of `own`. */
	const boundsOf = async ({ account: name, ip, device: given }: Attempt) => {
		const network = networkOf(ip);
		const device = given !== undefined && (await devices.peek(name)).isOver ? undefined : given;
		const source = `${name}\n${device ?? network}`;
		const own: Bound[] = [
			{ limiter: pair, key: source },
			{ limiter: pairHour, key: source },
		];
		if (device !== undefined)
			return { own, bounds: [...own, { limiter: devices, key: name }], slot: undefined };
		const slot: Bound = { limiter: slowed, key: name };
		const isSlowed = (await account.peek(name)).isOver;
		const bounds = [{ limiter: address, key: network }, ...own, ...(isSlowed ? [slot] : [])];
		return { own, bounds, slot: isSlowed ? undefined : slot };
	};
	/** Counts an attempt before it is tried; throws if a limit is reached. */
	const reserve = async (who: Attempt) => {
		const { own, bounds, slot } = await boundsOf(who);
		await requireRoom(bounds);
		const counted = await count(bounds);
		// Parallel attempts can pass the check above together; the one that reaches the limit here takes a slot
		// as well.
		const { isOver } = await account.count(who.account);
		counted.push({ limiter: account, key: who.account });
		if (isOver && slot !== undefined) counted.push(...(await count([slot], counted)));
		return { own, counted };
	};

	return {
		async attempt(who, prove) {
			const { own, counted } = await reserve(who);
			let proof: Awaited<ReturnType<typeof prove>>;
			try {
				proof = await prove();
			} catch (error) {
				await takeBack(counted);
				throw error;
			}
			if (proof === undefined) return undefined;
			await takeBack(counted);
			for (const { limiter, key } of own) await limiter.forget(key);
			return proof;
		},
	};
}

/** Throws `too_many_attempts` if one of the limits is reached; counts nothing. */
async function requireRoom(bounds: readonly Bound[]): Promise<void> {
	const peeked = await Promise.all(bounds.map(({ limiter, key }) => limiter.peek(key)));
	const reached = peeked.filter(({ isOver }) => isOver);
	if (reached.length > 0) throw refusal(Math.max(...reached.map((one) => one.retryAfterSeconds)));
}

/**
 * Counts one at each limit. If that exceeds one of them, uncounts all, `before` as well, and throws
 * `too_many_attempts`.
 */
async function count(bounds: readonly Bound[], before: readonly Bound[] = []): Promise<Bound[]> {
	for (const [at, { limiter, key }] of bounds.entries()) {
		const { isOver, retryAfterSeconds } = await limiter.count(key);
		if (!isOver) continue;
		await takeBack([...before, ...bounds.slice(0, at + 1)]);
		throw refusal(retryAfterSeconds);
	}
	return [...bounds];
}

async function takeBack(bounds: readonly Bound[]): Promise<void> {
	for (const { limiter, key } of bounds) await limiter.takeBack(key);
}

const refusal = (retryAfterSeconds: number) =>
	failures.too_many_attempts({ headers: { "retry-after": String(retryAfterSeconds) } });
