import { createListeners, openAppendFile } from "@lango/sandbox-base";
import type { Arrival, Channel, Kind, Outcome, ReportEvent } from "./arrival.ts";
import { readArrivals, type TruthLine } from "./truth-line.ts";

/** Bounds of what is kept in memory: the oldest arrivals go first. */
const arrivalsMax = 10_000;
const bytesMax = 256 * 1024 * 1024;
const eventsMax = 100;

/** What a list or a wait is narrowed to; a member that is missing matches everything. */
export type Filter = {
	kind?: Kind | undefined;
	channel?: Channel | undefined;
	/** A whole address, in any case of letters. */
	to?: string | undefined;
	tenant?: string | undefined;
	outcome?: Outcome | undefined;
	deliveryId?: string | undefined;
	/** Part of an address, subject or text. */
	text?: string | undefined;
};

type Change = { type: "arrival" | "change"; arrival: Arrival } | { type: "cleared" };

/** Everything that came in: in memory, and in a file where one is named. */
export type Records = {
	/** The number of the next request. */
	nextOrdinal(): number;
	add(arrival: Omit<Arrival, "id">): Arrival;
	/** Notes that the answers of these arrivals left the process. */
	answer(ids: readonly number[]): void;
	addEvent(id: number, event: ReportEvent): void;
	get(id: number): Arrival | undefined;
	/** The newest first. */
	list(filter: Filter): Arrival[];
	clear(at: Date): void;
	/** Returns a function that unsubscribes. Throws `TooMany` above the limit. */
	subscribe(listener: (change: Change) => void): () => void;
	close(): void;
};

/** True if the arrival matches every member of the filter. */
export function matches(arrival: Arrival, filter: Filter): boolean {
	const { letter } = arrival;
	const pairs: ReadonlyArray<readonly [asked: string | undefined, found: string | null | undefined]> = [
		[filter.kind, arrival.kind],
		[filter.outcome, arrival.outcome],
		[filter.channel, letter?.channel],
		[filter.tenant, letter?.tenant],
		[filter.deliveryId, letter?.deliveryId],
	];
	const to = filter.to?.toLowerCase();
	return (
		pairs.every(([asked, found]) => asked === undefined || asked === found) &&
		(to === undefined || letter?.to.some((address) => address.toLowerCase() === to) === true) &&
		(filter.text === undefined || containsText(arrival, filter.text))
	);
}

function containsText({ letter, providerId }: Arrival, part: string): boolean {
	const searched = [...(letter?.to ?? []), letter?.subject, letter?.text, letter?.deliveryId, providerId];
	return searched.some((text) => text?.toLowerCase().includes(part.toLowerCase()));
}

/** Opens the records, with those of the file if one is named. */
export function openRecords(truthFile: string | undefined): Records {
	const file = truthFile === undefined ? undefined : openAppendFile<TruthLine>(truthFile);
	const { publish, subscribe, clear } = createListeners<Change>();
	const kept = createBoundedStore();
	for (const arrival of readArrivals(file?.lines ?? [])) kept.add(arrival);
	let { lastId, lastOrdinal } = kept.last();

	/** An arrival that was removed for a newer one, or cleared, does not change. */
	const change = (id: number, changed: (arrival: Arrival) => Arrival) => {
		const arrival = kept.change(id, changed);
		if (arrival !== undefined) publish({ type: "change", arrival });
	};

	return {
		nextOrdinal: () => {
			lastOrdinal += 1;
			return lastOrdinal;
		},
		add: (rest) => {
			lastId += 1;
			const arrival: Arrival = { id: lastId, ...rest };
			file?.append({ arrival });
			kept.add(arrival);
			publish({ type: "arrival", arrival });
			return arrival;
		},
		answer: (ids) => {
			for (const id of ids) {
				file?.append({ answered: id });
				change(id, (arrival) => ({ ...arrival, answered: true }));
			}
		},
		addEvent: (id, event) =>
			change(id, (arrival) => ({
				...arrival,
				state: event.status,
				events: [...arrival.events, event].slice(-eventsMax),
			})),
		get: kept.get,
		list: (filter) =>
			kept
				.all()
				.filter((arrival) => matches(arrival, filter))
				.reverse(),
		clear: (at) => {
			file?.append({ cleared: at.toISOString() });
			kept.clear();
			publish({ type: "cleared" });
		},
		subscribe,
		close: () => {
			file?.close();
			clear();
		},
	};
}

/** Arrivals in memory, the oldest first; the oldest go when a bound is exceeded. */
function createBoundedStore() {
	const arrivals = new Map<number, Arrival>();
	let bytes = 0;
	return {
		add: (arrival: Arrival) => {
			arrivals.set(arrival.id, arrival);
			bytes += bytesOf(arrival);
			for (const [id, oldest] of arrivals) {
				if (arrivals.size <= arrivalsMax && (bytes <= bytesMax || arrivals.size === 1)) break;
				arrivals.delete(id);
				bytes -= bytesOf(oldest);
			}
		},
		change: (id: number, changed: (arrival: Arrival) => Arrival) => {
			const arrival = arrivals.get(id);
			if (arrival !== undefined) arrivals.set(id, changed(arrival));
			return arrivals.get(id);
		},
		get: (id: number) => arrivals.get(id),
		all: () => [...arrivals.values()],
		last: () => ({
			lastId: Math.max(0, ...arrivals.keys()),
			lastOrdinal: [...arrivals.values()].reduce((last, { ordinal }) => Math.max(last, ordinal), 0),
		}),
		clear: () => {
			arrivals.clear();
			bytes = 0;
		},
	};
}

/** About the memory that an arrival takes: two bytes a character. */
function bytesOf({ letter }: Arrival): number {
	const texts = [letter?.source, letter?.html, letter?.text];
	return 1024 + texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), 0);
}
