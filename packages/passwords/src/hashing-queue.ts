import { checkPassword, hashPassword } from "./password.ts";
import { createShares, type HashingRequester, type SharesMax } from "./shares.ts";

/** Hashes and checks passwords for one requester, whose share of the queue is taken already. */
export type Hashing = {
	/** Throws the error of `busy` when the queue is full. */
	hash(password: string): Promise<string>;
	/**
	 * Checks a password against a hash. Without a hash it checks against a decoy, which takes the same time,
	 * and never matches. Throws the error of `busy` when the queue is full.
	 */
	check(password: string, hash: string | undefined): Promise<{ matches: boolean; isOutdated: boolean }>;
};

/**
 * A queue for password hashes. It bounds how many run, how many wait, and how many tasks one requester has in
 * flight.
 */
export type HashingQueue = {
	/**
	 * Runs a task that hashes passwords, and counts it in the requester's share until it ends. Throws the
	 * error of `overShare` when the share is used up; then the task did not start. Include in the task what
	 * the hash needs, such as reading the stored hash, so that a refusal costs no more than this count.
	 */
	withShare<T>(requester: HashingRequester, task: (hashing: Hashing) => Promise<T>): Promise<T>;
	/** The number of hashes that run and that wait now. */
	load(): { running: number; waiting: number };
};

export type HashingLimits = {
	atOnce: number;
	waitingMax: number;
	/** Makes the error for a full queue. */
	busy: () => Error;
	/** Limits the tasks of one account, address and tenant. */
	shares: { max: SharesMax; overShare: () => Error };
};

/** Creates the queue and the decoy hash that passwords of unknown accounts are checked against. */
export async function createHashingQueue(limits: HashingLimits): Promise<HashingQueue> {
	const scheduler = createScheduler(limits);
	const shares = createShares(limits.shares.max);
	const decoy = await hashPassword("decoy password");

	const hashingFor = ({ address }: HashingRequester): Hashing => ({
		hash: (password) => scheduler.run(address, () => hashPassword(password)),
		async check(password, hash) {
			const result = await scheduler.run(address, () => checkPassword(password, hash ?? decoy));
			return hash === undefined ? { matches: false, isOutdated: false } : result;
		},
	});
	return {
		load: scheduler.load,
		async withShare(requester, task) {
			const release = shares.take(requester);
			if (release === false) throw limits.shares.overShare();
			try {
				return await task(hashingFor(requester));
			} finally {
				release();
			}
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
