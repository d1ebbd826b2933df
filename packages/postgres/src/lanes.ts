/**
 * Who waits for a connection. `ordinary`: everything without a reason to go first. `priority`: reads that other services depend on.
 * `check`: readiness checks.
 */
export type Lane = "ordinary" | "priority" | "check";

/** How many connections are kept for the lanes that go first. */
export type Reserve = {
	/** Connections that ordinary work never takes. */
	priority?: number;
	/** Connections that neither ordinary nor priority work takes. */
	check?: number;
};

/** No connection became free in time, or too many callers wait for one already. Trying again later may help. */
export class ConnectionsBusy extends Error {
	constructor(reason: string) {
		super(reason);
		this.name = "ConnectionsBusy";
	}
}

export type Lanes = {
	/**
	 * Waits until the lane has room and returns the function that gives the place back; call it once. Callers of one lane are
	 * served in the order they came. Throws ConnectionsBusy.
	 */
	enter(lane: Lane): Promise<() => void>;
	/** How many callers wait. */
	waiting(): number;
};

export type LanesOptions = { sizeMax: number; reserve?: Reserve | undefined; waitMs?: number };

type Waiting = { lane: Lane; admit: () => void };

const waitingMax = 1_000;

/**
 * Shares `sizeMax` connections among the lanes: a lane uses its own and those of the lanes before it, as far as they are free, so that
 * what is reserved for a later lane is never taken. Throws an Error when the reserve leaves ordinary work nothing.
 */
export function openLanes({ sizeMax, reserve = {}, waitMs = 5_000 }: LanesOptions): Lanes {
	const { priority = 0, check = 0 } = reserve;
	if (priority + check >= sizeMax)
		throw new Error(`a pool of ${sizeMax} connections cannot reserve ${priority + check} of them`);
	/** What the lane and all lanes before it use together, at most. */
	const bounds = { ordinary: sizeMax - priority - check, priority: sizeMax - check, check: sizeMax };
	const used = { ordinary: 0, priority: 0, check: 0 };
	const queue: Waiting[] = [];

	const hasRoom = (lane: Lane): boolean => {
		const first = used.ordinary + used.priority;
		if (first + used.check >= bounds.check) return false;
		if (lane === "check") return true;
		return first < bounds.priority && (lane === "priority" || used.ordinary < bounds.ordinary);
	};
	const leave = (lane: Lane) => {
		used[lane] -= 1;
		for (let at = queue.findIndex((one) => hasRoom(one.lane)); at !== -1; ) {
			queue.splice(at, 1)[0]?.admit();
			at = queue.findIndex((one) => hasRoom(one.lane));
		}
	};
	const take = (lane: Lane) => {
		used[lane] += 1;
		return () => leave(lane);
	};
	const wait = (lane: Lane): Promise<() => void> =>
		new Promise((resolve, reject) => {
			const late = setTimeout(() => {
				queue.splice(queue.indexOf(one), 1);
				reject(new ConnectionsBusy(`no database connection became free within ${waitMs} ms`));
			}, waitMs);
			const admit = () => {
				clearTimeout(late);
				resolve(take(lane));
			};
			const one: Waiting = { lane, admit };
			queue.push(one);
		});
	return {
		async enter(lane) {
			if (hasRoom(lane)) return take(lane);
			if (queue.length >= waitingMax)
				throw new ConnectionsBusy(`${waitingMax} callers wait for a database connection already`);
			return wait(lane);
		},
		waiting: () => queue.length,
	};
}
