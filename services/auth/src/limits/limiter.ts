import type { SharedCounts } from "@lango/chassis";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";

/** The count of a key, this attempt included. */
type Counted = { isOver: boolean; retryAfterSeconds: number };

/**
 * Counts attempts by key within a window that starts at the first attempt. The caller uncounts an attempt
 * that exceeds the limit.
 */
export type Limiter = {
	/** Reports whether the limit is reached; counts nothing. */
	peek(key: string): Promise<Counted>;
	/** Counts an attempt, also above the limit. */
	count(key: string): Promise<Counted>;
	/** Uncounts an attempt; no effect after the window has ended. */
	takeBack(key: string): Promise<void>;
	forget(key: string): Promise<void>;
};

export type LimiterBound = {
	name: string;
	most: number;
	seconds: number;
	/** The largest number of keys in this process; beyond it the least recently counted key is evicted. */
	keysMax?: number;
};

/** Creates a limiter in memory or in the store that all processes share. */
export type LimiterMaker = (bound: LimiterBound) => Limiter;

const keysMaxDefault = 100_000;

/**
 * Creates limiters that count in a shared store, and in bounded memory of this process (decision 0021)
 * without a store or while the store is unavailable (decision 0024).
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
