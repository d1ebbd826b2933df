import { LRUCache } from "lru-cache";

/**
 * A small cache in front of the verifier's cache. It looks a token up by the end of its signature and
 * compares the whole token, which saves the 0.8 µs of a SHA-256. The least recently used tokens are evicted
 * first.
 */
export type RecentTokens<T> = {
	get(token: string): T | undefined;
	put(token: string, value: T): void;
	clear(): void;
};

const endLength = 32;

export function createRecentTokens<T>(sizeMax: number): RecentTokens<T> {
	const byEnd = new LRUCache<string, { token: string; value: T }>({ max: sizeMax });
	return {
		get(token) {
			const found = byEnd.get(token.slice(-endLength));
			return found !== undefined && found.token === token ? found.value : undefined;
		},
		put(token, value) {
			byEnd.set(token.slice(-endLength), { token, value });
		},
		clear: () => byEnd.clear(),
	};
}
