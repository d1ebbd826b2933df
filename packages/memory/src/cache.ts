import { requireNoOpenTransaction } from "@lango/tracing";
import { createEntries, type EntriesOptions, type Entry } from "./entries.ts";
import { createReads } from "./reads.ts";

/** A bounded cache of values by key. Times are in milliseconds since 1970. */
export type Cache<V> = Invalidatable & {
	/** Returns the current entry, or undefined if it does not exist or has expired. Synchronous. */
	get(key: string): Entry<V> | undefined;
	/**
	 * Whether `get` would still return this entry, without a look-up. Returns false at least once per second,
	 * so that `get` is called and an entry in use is not evicted before others.
	 */
	isCurrent(entry: Entry<V>): boolean;
	/** Returns the last entry, also if it has expired: for callers that can fall back to an outdated value. */
	last(key: string): Entry<V> | undefined;
	/** Returns the current value, or reads it as `refresh` does. */
	load: SharedRead<V>;
	/**
	 * Reads a value and stores it, unless it was invalidated during the read. Concurrent callers with the same
	 * key and variant share one read; a caller after an invalidation does not join a read from before it. A
	 * result of undefined is not stored. Rejects if the read rejects; the last entry then stays. Throws
	 * TransactionOpen inside an open transaction, because it may wait for the read of another caller.
	 */
	refresh: SharedRead<V>;
	/** Stores a value as of `from` (default: now), unless an entry of the same or a higher version exists. */
	set(key: string, value: V, from?: number): void;
	/**
	 * For a read whose keys are known only afterwards: call `begin` before it, and the returned function to
	 * store its results. They are not stored if anything was invalidated in between.
	 */
	begin(): (key: string, value: V) => void;
	/** Invalidates the matching entries, and every read in progress. */
	invalidateWhere(matches: (key: string, value: V) => boolean): void;
	/** Expires every entry and invalidates every read in progress. The entries remain for `last`. */
	expireAll(): void;
};

/** A read that concurrent callers share. Without a variant, the key alone identifies it. */
type SharedRead<V> = {
	(key: string, read: () => Promise<V>, variant?: string): Promise<V>;
	(key: string, read: () => Promise<V | undefined>, variant?: string): Promise<V | undefined>;
};

/** Something that can be invalidated. The result of a read in progress is then not stored. */
export type Invalidatable = {
	invalidate(key: string): void;
	invalidateAll(): void;
	/**
	 * Sets whether invalidations are received from now on, and empties the cache. While they are not received,
	 * nothing is stored and no read is shared.
	 */
	setListening(isListening: boolean): void;
};

export type CacheOptions<V> = EntriesOptions<V> & {
	/** The version of a value: a value does not replace one of a higher version that was stored meanwhile. */
	versionOf?: (value: V) => number;
	/** Whether invalidations are received from the start. Default: true. */
	isListening?: boolean;
};

/** Creates an empty cache. */
export function createCache<V>(options: CacheOptions<V>): Cache<V> {
	const { now, sizeMax, versionOf = () => 0 } = options;
	const entries = createEntries(options);
	const reads = createReads<V | undefined>();
	/** Incremented by each invalidation. */
	let epoch = 0;
	let isListening = sizeMax > 0 && options.isListening !== false;

	const put = (key: string, value: V, from: number) => {
		if (isListening) entries.put(key, value, from);
	};
	/** Stores the result of a read. Returns it, or a newer version that was stored during the read. */
	const keepSince = (key: string, from: number, before: Entry<V> | undefined) => (value: V | undefined) => {
		const stored = entries.peek(key);
		const isReplaced = stored !== undefined && stored !== before;
		if (isReplaced && value !== undefined && versionOf(stored.value) > versionOf(value)) return stored.value;
		if (value !== undefined) put(key, value, from);
		else if (!isReplaced) entries.delete(key);
		return value;
	};
	const refresh = async (key: string, read: () => Promise<V | undefined>, variant?: string) => {
		requireNoOpenTransaction("read through a shared cache");
		if (!isListening) return read();
		return reads.share({ key, variant, read, keep: keepSince(key, now().getTime(), entries.peek(key)) });
	};
	const load: typeof refresh = async (key, read, variant) => {
		requireNoOpenTransaction("read through a shared cache");
		const found = entries.get(key);
		return found === undefined ? refresh(key, read, variant) : found.value;
	};
	/** Invalidates every read in progress, and entries. */
	const invalidateEach = (change: () => void) => {
		epoch += 1;
		reads.dropAll();
		change();
	};
	return {
		get: entries.get,
		isCurrent: entries.isCurrent,
		last: entries.last,
		load: load as SharedRead<V>,
		refresh: refresh as SharedRead<V>,
		set(key, value, from = now().getTime()) {
			const stored = entries.peek(key);
			const isNewer = stored === undefined || versionOf(value) > versionOf(stored.value);
			if (isNewer || options.versionOf === undefined) put(key, value, from);
		},
		begin() {
			const [began, from] = [epoch, now().getTime()];
			return (key, value) => {
				if (began === epoch) put(key, value, from);
			};
		},
		invalidate(key) {
			epoch += 1;
			entries.delete(key);
			reads.drop(key);
		},
		invalidateWhere: (matches) => invalidateEach(() => entries.deleteWhere(matches)),
		invalidateAll: () => invalidateEach(entries.clear),
		expireAll: () => invalidateEach(entries.expire),
		setListening(isListeningNow) {
			isListening = isListeningNow && sizeMax > 0;
			invalidateEach(entries.clear);
		},
	};
}
