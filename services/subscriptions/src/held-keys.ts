import type { StoredApiKey } from "@lango/chassis";

const believedMs = 30_000;
const keysMax = 100;

/**
 * Remembers the keys that were found for half a minute, so that not every request of a service asks for its key: one that
 * is replaced goes on that much longer than its hour, at most. What is no key is asked for each time.
 */
export function rememberKeys(
	find: (id: string) => Promise<StoredApiKey | undefined>,
	now: () => Date,
): (id: string) => Promise<StoredApiKey | undefined> {
	const held = new Map<string, { key: StoredApiKey; foundAt: number }>();
	return async (id) => {
		const known = held.get(id);
		const foundAt = now().getTime();
		if (known !== undefined && foundAt - known.foundAt < believedMs) return known.key;
		held.delete(id);
		const key = await find(id);
		if (key === undefined) return undefined;
		if (held.size >= keysMax) held.clear();
		held.set(id, { key, foundAt });
		return key;
	};
}
