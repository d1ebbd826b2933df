import { RateLimiterMemory } from "rate-limiter-flexible";

/** A key's count as it stands with this one. */
type Counted = { isOver: boolean; retryAfterSeconds: number };

/** Counts by key, so many in so many seconds from the first. What is over the bound is for the caller to take back. */
export type Limiter = {
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
	/** Keys remembered; of more the one that was counted longest ago is forgotten. */
	keysMax?: number;
};

const keysMaxDefault = 100_000;

/** A limiter in this process' memory, which does not grow with the keys that strangers invent (decision 0021). */
export function createLimiter({ name, most, seconds, keysMax = keysMaxDefault }: LimiterBound): Limiter {
	const counts = new RateLimiterMemory({ keyPrefix: name, points: most, duration: seconds });
	/** The keys in the order in which they were last counted. */
	const keys = new Set<string>();

	const forget = async (key: string) => {
		keys.delete(key);
		await counts.delete(key);
	};
	return {
		async count(key) {
			keys.delete(key);
			keys.add(key);
			const oldest = keys.size > keysMax ? keys.values().next().value : undefined;
			if (oldest !== undefined) await forget(oldest);
			const { consumedPoints, msBeforeNext } = await counts.penalty(key);
			const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1_000));
			return { isOver: consumedPoints > most, retryAfterSeconds };
		},
		async takeBack(key) {
			const counted = await counts.get(key);
			if (counted !== null && counted.consumedPoints > 0) await counts.reward(key);
		},
		forget,
	};
}
