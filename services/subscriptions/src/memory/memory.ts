import { requireNoOpenTransaction } from "@lango/tracing";
import { LRUCache } from "lru-cache";

/** What was read from the database, kept until the database tells that it changed. */
export type Memory<V extends object> = Forgetful & {
	/** What is held and still believed; else reads, once for all who ask meanwhile, and keeps it unless it changed since. */
	find(key: string, read: () => Promise<Found<V>>): Promise<V>;
};

/** Something that forgets what it is told of. */
export type Forgetful = {
	forget(key: string): void;
	forgetAll(): void;
	/** Whether changes are heard of from now on: everything is forgotten, and nothing is kept while they are not. */
	hear(isHearing: boolean): void;
};

/** `until` (milliseconds since 1970): from then on it is no longer so by itself. */
export type Found<V> = { value: V; until?: number };

export type MemoryOptions = {
	now: () => Date;
	/** So many at most, the least recently used forgotten first; 0 keeps nothing. */
	sizeMax: number;
	/** Nothing is believed longer: a connection can be dead for a while before anybody notices. */
	believedMs?: number;
};

const usualMs = 60_000;

/** Makes an empty memory, which keeps nothing until it is told that it hears. */
export function holdUntilTold<V extends object>({
	now,
	sizeMax,
	believedMs = usualMs,
}: MemoryOptions): Memory<V> {
	const held = new LRUCache<string, { value: V; from: number; until: number }>({ max: Math.max(1, sizeMax) });
	/** Reads under way. One that is no longer here was overtaken by a change, and is not kept. */
	const reading = new Map<string, Promise<V>>();
	let isHearing = false;

	const get = (key: string): V | undefined => {
		const known = held.get(key);
		if (known === undefined) return undefined;
		const time = now().getTime();
		if (time >= known.from && time < known.until) return known.value;
		held.delete(key);
		return undefined;
	};
	const keep = (key: string, { value, until = Number.POSITIVE_INFINITY }: Found<V>, from: number) => {
		held.set(key, { value, from, until: Math.min(from + believedMs, until) });
	};
	const begin = (key: string, read: () => Promise<Found<V>>) => {
		const from = now().getTime();
		const begun: Promise<V> = read()
			.then((found) => {
				if (reading.get(key) === begun) keep(key, found, from);
				return found.value;
			})
			.finally(() => {
				if (reading.get(key) === begun) reading.delete(key);
			});
		if (isHearing) reading.set(key, begun);
		return begun;
	};
	const forgetAll = () => {
		held.clear();
		reading.clear();
	};
	return {
		find: async (key, read) => {
			requireNoOpenTransaction("read through a shared cache");
			return get(key) ?? reading.get(key) ?? begin(key, read);
		},
		forget(key) {
			held.delete(key);
			reading.delete(key);
		},
		forgetAll,
		hear(isHearingNow) {
			isHearing = isHearingNow && sizeMax > 0;
			forgetAll();
		},
	};
}
