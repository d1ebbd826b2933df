import type { Class } from "../message.ts";

/** The calls that a provider's pace allows next; times are in milliseconds after the statement. */
export type Grant = {
	/** When the first of them may begin, and how far apart they are. */
	startsInMs: number;
	spacingMs: number;
	/** How many calls of urgent and normal messages, and how many of bulk messages after them. */
	granted: number;
	grantedBulk: number;
	/** When the next bulk call can be granted. */
	bulkInMs: number;
};

/** The pace of calls to providers, shared by all processes. */
export type Pace = {
	/**
	 * Waits until a call may begin. Returns 0, or after how many milliseconds to ask again: the pace is used up
	 * for longer than a call can wait, or this process stops.
	 */
	wait(providerId: string, messageClass: Class): Promise<number>;
	/** How many calls wait for a provider. */
	waiting(providerId: string): number;
	/** Lets nothing begin any more. */
	stop(): void;
};

/** Grants are given out this long ahead; see `take_provider_pace`. */
const aheadMs = 100;
/** A granted call begins at most this late, or not at all: the spacing of grants allows for it. */
const lateMaxMs = 100;
/** A call that would wait longer is given back. */
const waitMaxMs = 5_000;
const wantMax = 1_000;
/** Calls that begin within this time share a statement, in milliseconds. */
const collectMs: Readonly<Record<Class, number>> = { urgent: 0, normal: 4, bulk: 10 };
/** A call that is given back because of a stop is due at once. */
const stopWaitMs = 1;

type Take = (providerId: string, wanted: { others: number; bulk: number }) => Promise<Grant | undefined>;
type Waiter = { messageClass: Class; resolve: (waitMs: number) => void };
type Queue = Record<Class, Waiter[]> & {
	isRunning: boolean;
	/** When the next statement can grant a call, and a bulk call. */
	nextAt: number;
	nextBulkAt: number;
	wake: () => void;
};
type Context = {
	take: Take;
	isStopped: boolean;
	queues: Map<string, Queue>;
	onError: (error: unknown) => void;
};

/**
 * Creates the pace of a process. `take` takes calls from the provider's row, in one statement for all that
 * wait: the database's clock decides, so that the processes together keep the pace in every second.
 */
export function createPace({ take, onError }: Pick<Context, "take" | "onError">): Pace {
	const context: Context = { take, onError, isStopped: false, queues: new Map() };
	return {
		wait(providerId, messageClass) {
			const { promise, resolve } = Promise.withResolvers<number>();
			add(context, { providerId, waiter: { messageClass, resolve }, isFirst: false });
			return promise;
		},
		waiting: (providerId) => sizeOf(context.queues.get(providerId) ?? emptyQueue()),
		stop() {
			context.isStopped = true;
			for (const queue of context.queues.values()) {
				giveBackAll(queue, stopWaitMs);
				queue.wake();
			}
		},
	};
}

const emptyQueue = (): Queue => ({
	...{ urgent: [], normal: [], bulk: [], isRunning: false, nextAt: 0, nextBulkAt: 0 },
	wake: () => {},
});
const othersOf = ({ urgent, normal }: Queue) => urgent.length + normal.length;
const sizeOf = (queue: Queue) => othersOf(queue) + queue.bulk.length;

function add(
	context: Context,
	{ providerId, waiter, isFirst }: { providerId: string; waiter: Waiter; isFirst: boolean },
): void {
	if (context.isStopped) {
		waiter.resolve(stopWaitMs);
		return;
	}
	const queue = context.queues.get(providerId) ?? emptyQueue();
	context.queues.set(providerId, queue);
	const wasEmpty = othersOf(queue) === 0;
	if (isFirst) queue[waiter.messageClass].unshift(waiter);
	else queue[waiter.messageClass].push(waiter);
	if (wasEmpty && waiter.messageClass !== "bulk") queue.wake();
	if (queue.isRunning) return;
	queue.isRunning = true;
	setTimeout(() => void run(context, providerId, queue), collectMs[waiter.messageClass]);
}

async function run(context: Context, providerId: string, queue: Queue): Promise<void> {
	while (sizeOf(queue) > 0) {
		const at = othersOf(queue) > 0 ? queue.nextAt : Math.max(queue.nextAt, queue.nextBulkAt);
		const restMs = at - performance.now();
		if (restMs > 0) await rest(queue, restMs);
		else
			await takeFor(context, providerId, queue).catch((error) => {
				context.onError(error);
				giveBackAll(queue, waitMaxMs);
			});
	}
	queue.isRunning = false;
	context.queues.delete(providerId);
}

/** Takes calls for those that wait, and notes when the next statement is of use. */
async function takeFor(context: Context, providerId: string, queue: Queue): Promise<void> {
	const wanted = { others: Math.min(othersOf(queue), wantMax), bulk: Math.min(queue.bulk.length, wantMax) };
	const askedAt = performance.now();
	const grant = await context.take(providerId, wanted);
	const answeredAt = performance.now();
	// The provider was removed.
	if (grant === undefined) return giveBackAll(queue, waitMaxMs);
	const { startsInMs, spacingMs, granted, grantedBulk, bulkInMs } = grant;
	const others = Array.from({ length: granted }, () => queue.urgent.shift() ?? queue.normal.shift());
	for (const [place, waiter] of [...others, ...queue.bulk.splice(0, grantedBulk)].entries()) {
		const afterMs = startsInMs + place * spacingMs;
		if (waiter !== undefined)
			begin({ at: answeredAt + afterMs, until: askedAt + afterMs + lateMaxMs }, waiter, () =>
				add(context, { providerId, waiter, isFirst: true }),
			);
	}
	giveBackLate(queue, grant);
	const endsInMs = startsInMs + (granted + grantedBulk) * spacingMs;
	const leastMs = collectMs[queue.urgent.length > 0 ? "urgent" : "normal"];
	queue.nextAt = answeredAt + Math.max(leastMs, endsInMs - aheadMs / 2);
	queue.nextBulkAt = answeredAt + Math.max(leastMs, bulkInMs - aheadMs / 2);
	if (context.isStopped) giveBackAll(queue, stopWaitMs);
}

/** Lets a call begin at its time. If this process is late, the call waits for another grant. */
function begin({ at, until }: { at: number; until: number }, waiter: Waiter, askAgain: () => void): void {
	const go = () => (performance.now() < until ? waiter.resolve(0) : askAgain());
	const leftMs = at - performance.now();
	// A timer may fire up to a millisecond early.
	if (leftMs <= 0) go();
	else setTimeout(go, Math.ceil(leftMs) + 1);
}

const giveBackAll = (queue: Queue, waitMs: number) => {
	for (const waiter of [queue.urgent, queue.normal, queue.bulk].flatMap((one) => one.splice(0)))
		waiter.resolve(waitMs);
};

/** Gives back the calls that would wait too long, the newest first. */
function giveBackLate(queue: Queue, { startsInMs, spacingMs, granted, grantedBulk, bulkInMs }: Grant): void {
	const endsInMs = startsInMs + (granted + grantedBulk) * spacingMs;
	for (const messageClass of ["bulk", "normal", "urgent"] as const) {
		const own = queue[messageClass];
		while (own.length > 0) {
			const ahead = messageClass === "urgent" ? own.length : sizeOf(queue);
			const inMs = Math.max(endsInMs, messageClass === "bulk" ? bulkInMs : 0) + ahead * spacingMs;
			if (inMs <= waitMaxMs) break;
			own.pop()?.resolve(Math.ceil(inMs));
		}
	}
}

function rest(queue: Queue, ms: number): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	queue.wake = resolve;
	return promise.finally(() => {
		clearTimeout(timer);
		queue.wake = () => {};
	});
}
