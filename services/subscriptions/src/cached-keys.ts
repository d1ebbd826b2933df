import type { StoredApiKey } from "@lango/chassis";

const maxAgeMs = 30_000;
const keysMax = 100;

/**
 * Caches the API keys that were found for 30 s. A replaced key remains valid that much longer than its hour,
 * at most. Unknown keys are looked up every time.
 */
export function cacheApiKeys(
	find: (id: string) => Promise<StoredApiKey | undefined>,
	now: () => Date,
): (id: string) => Promise<StoredApiKey | undefined> {
	const entries = new Map<string, { key: StoredApiKey; foundAt: number }>();
	return async (id) => {
		const known = entries.get(id);
		const foundAt = now().getTime();
		if (known !== undefined && foundAt - known.foundAt < maxAgeMs) return known.key;
		entries.delete(id);
		const key = await find(id);
		if (key === undefined) return undefined;
		if (entries.size >= keysMax) entries.clear();
		entries.set(id, { key, foundAt });
		return key;
	};
}
