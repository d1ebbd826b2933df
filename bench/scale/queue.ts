import { type Event, openEvents } from "./event-heap.ts";

/** Cores that work on what comes, in the order it comes. */
export type Station = {
	cores: number;
	/** A job that takes longer goes back to the end of the line, as an operating system has it; Infinity: none ever does. */
	sliceMs: number;
	/** Jobs of these kinds begin only so many at once, however many cores are free. */
	limited?: { kinds: ReadonlySet<number>; atOnce: number };
};

/**
 * A request: when it comes, and what it needs of each station, one after the other, in milliseconds of a core. `shares`: of that it
 * needs only so much, by station, where it had to wait, since the core it then gets has just been at the same work; all of it without.
 */
export type Arrival = { atMs: number; kind: number; needsMs: readonly number[]; shares?: readonly number[] };

export type Queue = {
	stations: readonly Station[];
	/** The next request, none earlier than the one before; undefined: no more come. */
	next: () => Arrival | undefined;
	/** Told of each request when its last station is done with it. `waitsMs`: how long nobody worked on it, at each station. */
	served: (arrival: Arrival, waitsMs: readonly number[]) => void;
};

/** `busyMs`: of all cores of each station together. */
export type Totals = { arrived: number; served: number; endMs: number; busyMs: number[] };

type Job = {
	arrival: Arrival;
	station: number;
	enteredMs: number;
	/** Known when it is first begun with. */
	needMs: number | undefined;
	leftMs: number;
	waitsMs: number[];
};
type Line = Station & {
	idle: number;
	busyMs: number;
	waiting: Fifo<Job>;
	held: Fifo<Job>;
	heldUnderWay: number;
};

/**
 * Serves every request that comes: events in the order of time, nothing left to chance. What is still under way when no more come
 * is worked off, so that in the end as many were served as arrived.
 */
export function runQueue({ stations, next, served }: Queue): Totals {
	const lines = stations.map(
		(station): Line => ({
			...station,
			idle: station.cores,
			busyMs: 0,
			waiting: openFifo(),
			held: openFifo(),
			heldUnderWay: 0,
		}),
	);
	const events = openEvents<Job>();
	const totals = { arrived: 0, served: 0, endMs: 0 };
	const enter = (job: Job, nowMs: number) => {
		const line = lines[job.station];
		if (line === undefined) {
			totals.served += 1;
			served(job.arrival, job.waitsMs);
			return;
		}
		job.enteredMs = nowMs;
		job.needMs = undefined;
		admit(line, job);
		beginNext(line, { nowMs, events });
	};
	const endSlice = ({ atMs, ranMs, what: job }: Event<Job>) => {
		const line = lines[job.station];
		if (line === undefined) throw new Error("a job runs where there is no station");
		line.busyMs += ranMs;
		line.idle += 1;
		job.leftMs -= ranMs;
		if (job.leftMs > 0) line.waiting.push(job);
		else release(line, job);
		beginNext(line, { nowMs: atMs, events });
		if (job.leftMs > 0) return;
		job.waitsMs.push(Math.max(0, atMs - job.enteredMs - (job.needMs ?? 0)));
		job.station += 1;
		enter(job, atMs);
	};
	for (let arrival = next(); ; ) {
		const event = events.first();
		if (arrival !== undefined && arrival.atMs <= (event?.atMs ?? Infinity)) {
			totals.arrived += 1;
			enter({ arrival, station: 0, enteredMs: 0, needMs: undefined, leftMs: 0, waitsMs: [] }, arrival.atMs);
			arrival = next();
		} else if (event !== undefined) {
			totals.endMs = event.atMs;
			events.dropFirst();
			endSlice(event);
		} else break;
	}
	return { ...totals, busyMs: lines.map(({ busyMs }) => busyMs) };
}

/** Puts a job at the end of the line; one of a limited kind only when fewer than may be are under way. */
function admit(line: Line, job: Job): void {
	const { limited } = line;
	const isLimited = limited?.kinds.has(job.arrival.kind) === true;
	if (isLimited && line.heldUnderWay >= limited.atOnce) {
		line.held.push(job);
		return;
	}
	if (isLimited) line.heldUnderWay += 1;
	line.waiting.push(job);
}

/** A job is done: where its kind is limited the next of them may come. */
function release(line: Line, job: Job): void {
	if (!line.limited?.kinds.has(job.arrival.kind)) return;
	line.heldUnderWay -= 1;
	const next = line.held.shift();
	if (next !== undefined) admit(line, next);
}

/** A free core takes the first of the line, for a slice at most. */
function beginNext(
	line: Line,
	{ nowMs, events }: { nowMs: number; events: ReturnType<typeof openEvents<Job>> },
): void {
	if (line.idle === 0) return;
	const what = line.waiting.shift();
	if (what === undefined) return;
	line.idle -= 1;
	if (what.needMs === undefined) {
		const { needsMs, shares } = what.arrival;
		const share = nowMs > what.enteredMs ? (shares?.[what.station] ?? 1) : 1;
		what.needMs = (needsMs[what.station] ?? 0) * share;
		what.leftMs = what.needMs;
	}
	const ranMs = Math.min(what.leftMs, line.sliceMs);
	events.add({ atMs: nowMs + ranMs, ranMs, what });
}

type Fifo<T> = { push(item: T): void; shift(): T | undefined };

/** First in, first out, at the same small cost however long it is. */
function openFifo<T>(): Fifo<T> {
	let items: T[] = [];
	let head = 0;
	return {
		push: (item) => void items.push(item),
		shift() {
			const item = items[head];
			if (item === undefined) return undefined;
			head += 1;
			if (head > 1_000 && head * 2 > items.length) [items, head] = [items.slice(head), 0];
			return item;
		},
	};
}
