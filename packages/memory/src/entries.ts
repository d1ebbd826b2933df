import { LRUCache } from "lru-cache";

/** A cached value. It is valid from the beginning of its read until it expires or is invalidated. */
export type Entry<V> = Readonly<Stored<V>>;

type Stored<V> = {
	value: V;
	from: number;
	until: number;
	usedAt: number;
	/** Also true if the entry was replaced or evicted. */
	isInvalidated: boolean;
};

export type EntriesOptions<V> = {
	now: () => Date;
	/** The maximum number of entries; the least recently used is evicted first. 0 stores nothing. */
	sizeMax: number;
	/** The maximum age of an entry, counted from the beginning of its read. */
	maxAgeMs: number;
	/** When a value expires by itself; `from` is the beginning of its read. */
	untilOf?: (value: V, from: number) => number;
};

/** The precision of the order of eviction for entries that are checked by `isCurrent`. */
const orderMs = 1_000;

/** Creates a bounded map of entries that expire. It does not know reads in progress; `createCache` does. */
export function createEntries<V>({ now, sizeMax, maxAgeMs, untilOf }: EntriesOptions<V>) {
	const entries = new LRUCache<string, Stored<V>>({
		max: Math.max(1, sizeMax),
		dispose: (dropped) => {
			dropped.isInvalidated = true;
		},
	});
	return {
		get(key: string): Entry<V> | undefined {
			const found = entries.get(key);
			if (found === undefined) return undefined;
			const at = now().getTime();
			if (!isValid(found, at)) return undefined;
			found.usedAt = at;
			return found;
		},
		isCurrent(entry: Entry<V>): boolean {
			const at = now().getTime();
			return isValid(entry, at) && at - entry.usedAt < orderMs;
		},
		last: (key: string): Entry<V> | undefined => entries.get(key),
		/** As `last`, without an effect on the order of eviction. */
		peek: (key: string): Entry<V> | undefined => entries.peek(key),
		put(key: string, value: V, from: number): void {
			const until = Math.min(from + maxAgeMs, untilOf?.(value, from) ?? Number.POSITIVE_INFINITY);
			entries.set(key, { value, from, until, usedAt: from, isInvalidated: false });
		},
		delete: (key: string) => entries.delete(key),
		deleteWhere(matches: (key: string, value: V) => boolean): void {
			const matching: string[] = [];
			entries.forEach(({ value }, key) => {
				if (matches(key, value)) matching.push(key);
			});
			for (const key of matching) entries.delete(key);
		},
		expire(): void {
			entries.forEach((entry) => {
				entry.isInvalidated = true;
			});
		},
		clear: () => entries.clear(),
	};
}

/** An entry from the future (the clock was set back) is not valid. */
const isValid = ({ from, until, isInvalidated }: Entry<unknown>, at: number): boolean =>
	!isInvalidated && at >= from && at < until;
