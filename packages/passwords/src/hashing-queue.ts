import { checkPassword, hashPassword } from "./password.ts";

/** Password work, so many at once and so many waiting, so that a rush of sign-ins leaves room for everything else. */
export type HashingQueue = {
	/** Throws what `busy` makes when too many wait. */
	hash(password: string): Promise<string>;
	/** Checks against the hash, or, when there is none, spends the same time on one of its own and says no. Throws as `hash`. */
	check(password: string, hash: string | undefined): Promise<{ matches: boolean; isOutdated: boolean }>;
	/** How many are at work, and how many wait, now. */
	load(): { running: number; waiting: number };
};

export type HashingLimits = {
	atOnce: number;
	waitingMax: number;
	/** What is thrown when too many wait. */
	busy: () => Error;
};

/** Makes the queue and the decoy hash that unknown people are checked against. */
export async function createHashingQueue(limits: HashingLimits): Promise<HashingQueue> {
	const waiting: Array<() => void> = [];
	let running = 0;

	const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
		if (running >= limits.atOnce) {
			if (waiting.length >= limits.waitingMax) throw limits.busy();
			await new Promise<void>((resolve) => waiting.push(resolve));
		} else running += 1;
		try {
			return await work();
		} finally {
			const next = waiting.shift();
			if (next === undefined) running -= 1;
			else next();
		}
	};
	const decoy = await hashPassword("nobody has this password");

	return {
		load: () => ({ running, waiting: waiting.length }),
		hash: (password) => inTurn(() => hashPassword(password)),
		async check(password, hash) {
			const result = await inTurn(() => checkPassword(password, hash ?? decoy));
			return hash === undefined ? { matches: false, isOutdated: false } : result;
		},
	};
}
