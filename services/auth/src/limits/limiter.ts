import type { SharedCounts } from "@lango/chassis";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";

/** A key's count as it stands with this one. */
type Counted = { isOver: boolean; retryAfterSeconds: number };

/** Counts by key, so many in so many seconds from the first. What is over the bound is for the caller to take back. */
export type Limiter = {
	/** Reports whether the bound is reached, so that one more would be over it; counts nothing. */
	peek(key: string): Promise<Counted>;
	/** Counts one, also over the bound. */
	count(key: string): Promise<Counted>;
	/** Takes one back; nothing when the key's time is over. */
	takeBack(key: string): Promise<void>;
	forget(key: string): Promise<void>;
};

export type LimiterBound = {
	name: string;
	most: number;
	seconds: number;
	/** Keys remembered in this process; of more the one that was counted longest ago is forgotten. */
	keysMax?: number;
};

/** The most that may be, by name, and where all processes count together, if anywhere. */
export type LimiterMaker = (bound: LimiterBound) => Limiter;

const keysMaxDefault = 100_000;

/**
 * Makes limiters: in this process' memory, which does not grow with the keys that strangers invent (decision 0021), or where
 * all processes count together, and in memory while that is away (decision 0024).
 */
export function limitersOn(shared: SharedCounts | undefined): LimiterMaker {
	return (bound) => {
		const own = createLimiter(bound);
		return shared === undefined ? own : shareLimiter(bound, { shared, own });
	};
}

/** A limiter in this process' memory. */
export function createLimiter({ name, most, seconds, keysMax = keysMaxDefault }: LimiterBound): Limiter {
	const counts = new RateLimiterMemory({ keyPrefix: name, points: most, duration: seconds });
	/** The keys in the order in which they were last counted. */
	const keys = new Set<string>();

	const forget = async (key: string) => {
		keys.delete(key);
		await counts.delete(key);
	};
	return {
		peek: async (key) => peekedOf(await counts.get(key), most),
		async count(key) {
			keys.delete(key);
			keys.add(key);
			const oldest = keys.size > keysMax ? keys.values().next().value : undefined;
			if (oldest !== undefined) await forget(oldest);
			return countedOf(await counts.penalty(key), most);
		},
		async takeBack(key) {
			const counted = await counts.get(key);
			if (counted !== null && counted.consumedPoints > 0) await counts.reward(key);
		},
		forget,
	};
}

function shareLimiter(
	{ name, most, seconds }: LimiterBound,
	{ shared, own }: { shared: SharedCounts; own: Limiter },
): Limiter {
	const counts = shared.limiterOf({ name, points: most, seconds });
	return {
		peek: (key) =>
			shared.ask(
				async () => peekedOf(await counts.get(key), most),
				() => own.peek(key),
			),
		count: (key) =>
			shared.ask(
				async () => countedOf(await counts.penalty(key), most),
				() => own.count(key),
			),
		takeBack: (key) =>
			shared.ask(
				async () => {
					const counted = await counts.get(key);
					if (counted !== null && counted.consumedPoints > 0) await counts.reward(key);
				},
				() => own.takeBack(key),
			),
		forget: (key) =>
			shared.ask(
				async () => void (await counts.delete(key)),
				() => own.forget(key),
			),
	};
}

const peekedOf = (counted: RateLimiterRes | null, most: number): Counted =>
	counted === null ? { isOver: false, retryAfterSeconds: 0 } : countedOf(counted, most - 1);

const countedOf = (
	{ consumedPoints, msBeforeNext }: { consumedPoints: number; msBeforeNext: number },
	most: number,
): Counted => ({
	isOver: consumedPoints > most,
	retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});
