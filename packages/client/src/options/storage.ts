/** Stores values for the client. Synchronous, like the storage of a browser. */
export type ClientStorage = {
	get(key: string): string | undefined;
	set(key: string, value: string): void;
	remove(key: string): void;
	/** Removes all keys with one of these prefixes. */
	removeAll(prefixes: readonly string[]): void;
};

/** Stores values in memory until the page is closed or reloaded. The default for refresh tokens (§5.13). */
export function memoryStorage(): ClientStorage {
	const values = new Map<string, string>();
	return {
		get: (key) => values.get(key),
		set: (key, value) => void values.set(key, value),
		remove: (key) => void values.delete(key),
		removeAll(prefixes) {
			for (const key of [...values.keys()]) if (hasPrefix(key, prefixes)) values.delete(key);
		},
	};
}

const hasPrefix = (key: string, prefixes: readonly string[]) =>
	prefixes.some((prefix) => key.startsWith(prefix));

/** The part of the browser's Storage that the client uses. */
type WebStorage = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/**
 * Stores values in a storage of the browser, for example `webStorage(() => sessionStorage)`. Falls back to
 * memory if the storage is missing, blocked or full.
 */
export function webStorage(open: () => WebStorage | undefined): ClientStorage {
	const memory = memoryStorage();
	const attempt = <T>(use: (storage: WebStorage) => T): T | undefined => {
		try {
			const storage = open();
			return storage === undefined ? undefined : use(storage);
		} catch {
			return undefined; // The storage is blocked or full. The value is in memory.
		}
	};
	return {
		get: (key) => memory.get(key) ?? attempt((storage) => storage.getItem(key)) ?? undefined,
		set(key, value) {
			const isStored = attempt((storage) => {
				storage.setItem(key, value);
				return true;
			});
			if (isStored) memory.remove(key);
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
				for (const key of keys) if (hasPrefix(key, prefixes)) storage.removeItem(key);
			});
		},
	};
}

/** sessionStorage: survives a reload and ends with the tab. */
export const tabStorage = (): ClientStorage => webStorage(() => globalThis.sessionStorage);

/** localStorage: shared by all tabs and outlives the session. Must not contain credentials. */
export const browserStorage = (): ClientStorage => webStorage(() => globalThis.localStorage);
