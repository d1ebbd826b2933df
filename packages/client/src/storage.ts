/** Where the client keeps what must outlive a page. Synchronous, like the browser's own. */
export type ClientStorage = {
	get(key: string): string | undefined;
	set(key: string, value: string): void;
	remove(key: string): void;
	/** Removes every key that begins with one of these. */
	removeAll(prefixes: readonly string[]): void;
};

/** Keeps nothing beyond the page: the default for refresh tokens (§5.13). */
export function memoryStorage(): ClientStorage {
	const kept = new Map<string, string>();
	return {
		get: (key) => kept.get(key),
		set: (key, value) => void kept.set(key, value),
		remove: (key) => void kept.delete(key),
		removeAll(prefixes) {
			for (const key of [...kept.keys()]) if (beginsWith(key, prefixes)) kept.delete(key);
		},
	};
}

const beginsWith = (key: string, prefixes: readonly string[]) =>
	prefixes.some((prefix) => key.startsWith(prefix));

/** The part of the browser's Storage that is used. */
type WebStorage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/**
 * Keeps in one of the browser's own storages: `webStorage(() => sessionStorage)` outlives a reload and belongs to one tab.
 * Where the browser has none, refuses it or is full, the value is kept in memory, as if none had been chosen.
 */
export function webStorage(open: () => WebStorage | undefined): ClientStorage {
	const memory = memoryStorage();
	const attempt = <T>(use: (storage: WebStorage) => T): T | undefined => {
		try {
			const storage = open();
			return storage === undefined ? undefined : use(storage);
		} catch {
			return undefined; // Blocked or full: a browser says so by throwing. Memory has the value.
		}
	};
	return {
		get: (key) => memory.get(key) ?? attempt((storage) => storage.getItem(key)) ?? undefined,
		set(key, value) {
			const isKept = attempt((storage) => {
				storage.setItem(key, value);
				return true;
			});
			if (isKept) memory.remove(key);
			else memory.set(key, value);
		},
		remove(key) {
			memory.remove(key);
			attempt((storage) => storage.removeItem(key));
		},
		removeAll(prefixes) {
			memory.removeAll(prefixes);
			attempt((storage) => {
				const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "");
				for (const key of keys) if (beginsWith(key, prefixes)) storage.removeItem(key);
			});
		},
	};
}

/** The tab's own storage: outlives a reload, not the tab. */
export const tabStorage = (): ClientStorage => webStorage(() => globalThis.sessionStorage);

/** The storage of all tabs: outlives the session, so nothing that proves anything belongs into it. */
export const browserStorage = (): ClientStorage => webStorage(() => globalThis.localStorage);
