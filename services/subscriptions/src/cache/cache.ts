import { requireNoOpenTransaction } from "@lango/tracing";
import { LRUCache } from "lru-cache";

/** What was read from the database, kept until the database tells that it changed. */
export type Cache<V extends object> = Invalidatable & {
	/** What is held and still believed; else reads, once for all who ask meanwhile, and keeps it unless it changed since. */
	find(key: string, read: () => Promise<Found<V>>): Promise<V>;
};

/** Something that forgets what it is told of. */
export type Invalidatable = {
	invalidate(key: string): void;
	invalidateAll(): void;
	/** Whether changes are heard of from now on: everything is forgotten, and nothing is kept while they are not. */
	setListening(isListening: boolean): void;
};

/** `until` (milliseconds since 1970): from then on it is no longer so by itself. */
export type Found<V> = { value: V; until?: number };

export type CacheOptions = {
	now: () => Date;
	/** So many at most, the least recently used forgotten first; 0 keeps nothing. */
	sizeMax: number;
	/** Nothing is believed longer: a connection can be dead for a while before anybody notices. */
	maxAgeMs?: number;
};

const defaultMaxAgeMs = 60_000;

/** Makes an empty memory, which keeps nothing until it is told that it hears. */
export function createCache<V extends object>({
	now,
	sizeMax,
	maxAgeMs = defaultMaxAgeMs,
}: CacheOptions): Cache<V> {
	const entries = new LRUCache<string, { value: V; from: number; until: number }>({
		max: Math.max(1, sizeMax),
	});
	/** Reads under way. One that is no longer here was overtaken by a change, and is not kept. */
	const reading = new Map<string, Promise<V>>();
	let isListening = false;

	const get = (key: string): V | undefined => {
		const known = entries.get(key);
		if (known === undefined) return undefined;
		const time = now().getTime();
		if (time >= known.from && time < known.until) return known.value;
		entries.delete(key);
		return undefined;
	};
	const store = (key: string, { value, until = Number.POSITIVE_INFINITY }: Found<V>, from: number) => {
		entries.set(key, { value, from, until: Math.min(from + maxAgeMs, until) });
	};
	const begin = (key: string, read: () => Promise<Found<V>>) => {
		const from = now().getTime();
		const initial: Promise<V> = read()
			.then((found) => {
				if (reading.get(key) === initial) store(key, found, from);
				return found.value;
			})
			.finally(() => {
				if (reading.get(key) === initial) reading.delete(key);
			});
		if (isListening) reading.set(key, initial);
		return initial;
	};
	const invalidateAll = () => {
		entries.clear();
		reading.clear();
	};
	return {
		find: async (key, read) => {
			requireNoOpenTransaction("read through a shared cache");
			return get(key) ?? reading.get(key) ?? begin(key, read);
		},
		invalidate(key) {
			entries.delete(key);
			reading.delete(key);
		},
		invalidateAll,
		setListening(isListeningNow) {
			isListening = isListeningNow && sizeMax > 0;
			invalidateAll();
		},
	};
}
