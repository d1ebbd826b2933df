import { checkPassword, hashPassword } from "./password.ts";
import { createShares, type HashingRequester, type SharesMax } from "./shares.ts";

/**
 * A queue for password hashes. It bounds how many run, how many wait, and how many one requester has in
 * flight.
 */
export type HashingQueue = {
	/**
	 * Throws the error of `busy` when the queue is full, and the error of `overShare` when the requester's
	 * share is used up.
	 */
	hash(password: string, requester?: HashingRequester): Promise<string>;
	/**
	 * Checks a password against a hash. Without a hash it checks against a decoy, which takes the same time,
	 * and never matches. Throws as `hash` does.
	 */
	check(
		password: string,
		hash: string | undefined,
		requester?: HashingRequester,
	): Promise<{ matches: boolean; isOutdated: boolean }>;
	/** The number of hashes that run and that wait now. */
	load(): { running: number; waiting: number };
};

export type HashingLimits = {
	atOnce: number;
	waitingMax: number;
	/** Makes the error for a full queue. */
	busy: () => Error;
	/** Limits one account, address and tenant; without it only the whole queue is limited. */
	shares?: { max: SharesMax; overShare: () => Error };
};

/** Creates the queue and the decoy hash that passwords of unknown accounts are checked against. */
export async function createHashingQueue(limits: HashingLimits): Promise<HashingQueue> {
	const scheduler = createScheduler(limits);
	const shares = limits.shares && createShares(limits.shares.max);
	const decoy = await hashPassword("decoy password");

	const enqueue = async <T>(requester: HashingRequester | undefined, work: () => Promise<T>): Promise<T> => {
		const release = requester && shares?.take(requester);
		if (release === false) throw limits.shares?.overShare();
		try {
			return await scheduler.run(requester?.address ?? "", work);
		} finally {
			release?.();
		}
	};

	return {
		load: scheduler.load,
		hash: (password, requester) => enqueue(requester, () => hashPassword(password)),
		async check(password, hash, requester) {
			const result = await enqueue(requester, () => checkPassword(password, hash ?? decoy));
			return hash === undefined ? { matches: false, isOutdated: false } : result;
		},
	};
}

/**
 * Runs a bounded number of tasks at once. Waiting tasks start in rotation between lanes, so a long lane
 * delays no other.
 */
function createScheduler({ atOnce, waitingMax, busy }: HashingLimits) {
	const lanes = new Map<string, Array<() => void>>();
	let running = 0;
	let waiting = 0;

	const wait = (lane: string) => {
		if (waiting >= waitingMax) throw busy();
		waiting += 1;
		return new Promise<void>((resolve) => {
			const queue = lanes.get(lane);
			if (queue === undefined) lanes.set(lane, [resolve]);
			else queue.push(resolve);
		});
	};
	/** Starts the first task of the lane that has waited longest, and moves that lane to the end. */
	const startNext = () => {
		const [lane, queue] = lanes.entries().next().value ?? [];
		if (lane === undefined || queue === undefined) {
			running -= 1;
			return;
		}
		const next = queue.shift();
		lanes.delete(lane);
		if (queue.length > 0) lanes.set(lane, queue);
		waiting -= 1;
		next?.();
	};

	return {
		load: () => ({ running, waiting }),
		async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
			if (running >= atOnce) await wait(lane);
			else running += 1;
			try {
				return await work();
			} finally {
				startNext();
			}
		},
	};
}
