import { requireNoOpenTransaction } from "@lango/tracing";
import { LRUCache } from "lru-cache";

/** A cache of database reads that the database invalidates. */
export type Cache<V extends object> = Invalidatable & {
	/**
	 * Returns the cached value, or reads it once for all concurrent callers, and stores it unless it was
	 * invalidated meanwhile.
	 */
	find(key: string, read: () => Promise<Found<V>>): Promise<V>;
};

/** Something that can be invalidated. */
export type Invalidatable = {
	invalidate(key: string): void;
	invalidateAll(): void;
	/**
	 * Whether invalidations are received from now on. Empties the cache; while they are not received, nothing
	 * is stored.
	 */
	setListening(isListening: boolean): void;
};

/** `until` (milliseconds since 1970): the value expires then by itself. */
export type Found<V> = { value: V; until?: number };

export type CacheOptions = {
	now: () => Date;
	/** The maximum number of entries; the least recently used is evicted first. 0 stores nothing. */
	sizeMax: number;
	/** The maximum age of an entry: a dead connection may go unnoticed for a while. */
	maxAgeMs?: number;
};

const defaultMaxAgeMs = 60_000;

/** Creates an empty cache, which stores nothing until it receives invalidations. */
export function createCache<V extends object>({
	now,
	sizeMax,
	maxAgeMs = defaultMaxAgeMs,
}: CacheOptions): Cache<V> {
	const entries = new LRUCache<string, { value: V; from: number; until: number }>({
		max: Math.max(1, sizeMax),
	});
	/** Reads in progress. A read that was removed by an invalidation is not stored. */
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
		const running: Promise<V> = read()
			.then((found) => {
				if (reading.get(key) === running) store(key, found, from);
				return found.value;
			})
			.finally(() => {
				if (reading.get(key) === running) reading.delete(key);
			});
		if (isListening) reading.set(key, running);
		return running;
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
