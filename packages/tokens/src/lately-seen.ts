import { LRUCache } from "lru-cache";

/**
 * The few tokens that are asked for again and again, recognised faster than by their SHA-256: found by the end of their signature, and
 * then compared as a whole, so that no other token is taken for one of them. The least recently used are forgotten first.
 */
export type LatelySeen<T> = {
	get(token: string): T | undefined;
	put(token: string, value: T): void;
	clear(): void;
};

const endLength = 32;

export function rememberLately<T>(sizeMax: number): LatelySeen<T> {
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
