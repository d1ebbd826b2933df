/**
 * The priority of a caller. `ordinary`: the default. `priority`: reads that other services depend on.
 * `check`: readiness checks.
 */
export type Lane = "ordinary" | "priority" | "check";

/** The number of connections reserved for lanes with priority. */
export type Reserve = {
	/** Connections that ordinary work never uses. */
	priority?: number;
	/** Connections that neither ordinary nor priority work uses. */
	check?: number;
};

/** No connection became free in time, or too many callers wait already. A retry may succeed. */
export class ConnectionsBusy extends Error {
	constructor(reason: string) {
		super(reason);
		this.name = "ConnectionsBusy";
	}
}

export type Lanes = {
	/**
	 * Waits until the lane has room and returns the function that leaves it; call it once. Callers of a lane
	 * are served in order. Throws ConnectionsBusy.
	 */
	enter(lane: Lane): Promise<() => void>;
	/** The number of waiting callers. */
	waiting(): number;
};

export type LanesOptions = { sizeMax: number; reserve?: Reserve | undefined; waitMs?: number };

type Waiting = { lane: Lane; admit: () => void };

const waitingMax = 1_000;

/**
 * Shares `sizeMax` connections among the lanes. A lane uses its own reserve and the unused connections of the
 * lanes before it, never those reserved for later lanes. Throws an Error if the reserve leaves no ordinary
 * connection.
 */
export function openLanes({ sizeMax, reserve = {}, waitMs = 5_000 }: LanesOptions): Lanes {
	const { priority = 0, check = 0 } = reserve;
	if (priority + check >= sizeMax)
		throw new Error(`a pool of ${sizeMax} connections cannot reserve ${priority + check} of them`);
	/** The maximum that a lane and all lanes before it use together. */
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
				throw new ConnectionsBusy(`${waitingMax} callers are already waiting for a database connection`);
			return wait(lane);
		},
		waiting: () => queue.length,
	};
}
