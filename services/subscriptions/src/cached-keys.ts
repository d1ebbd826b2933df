import type { StoredApiKey } from "@lango/chassis";
import { createCache } from "@lango/memory";

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
	const keys = createCache<StoredApiKey>({ now, sizeMax: keysMax, maxAgeMs });
	return (id) => keys.load(id, () => find(id));
}
