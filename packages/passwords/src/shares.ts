/**
 * The account, network address and tenant that a task is for. The caller chooses the keys; equal keys share
 * one limit. Without a tenant the task counts for no tenant, and no tenant's limit refuses it.
 */
export type HashingRequester = { account: string; address: string; tenant: string | undefined };

/** The most tasks that one account, one address and one tenant may have in flight. */
export type SharesMax = Record<keyof HashingRequester, number>;

/** Counts work in flight for each account, address and tenant. */
export type Shares = {
	/**
	 * Counts one at each key, and returns the function that releases it; false, and nothing counted, if a limit
	 * is reached.
	 */
	take(requester: HashingRequester): (() => void) | false;
};

const kinds = ["account", "address", "tenant"] as const;

/** Creates the counts. They hold a key only while work for it is in flight. */
export function createShares(max: SharesMax): Shares {
	const inFlight = new Map<string, number>();
	const countOf = (key: string) => inFlight.get(key) ?? 0;
	return {
		take(requester) {
			const keys = kinds.flatMap((kind) =>
				requester[kind] === undefined ? [] : [{ kind, key: `${kind} ${requester[kind]}` }],
			);
			if (keys.some(({ kind, key }) => countOf(key) >= max[kind])) return false;
			for (const { key } of keys) inFlight.set(key, countOf(key) + 1);
			return () => {
				for (const { key } of keys) {
					const left = countOf(key) - 1;
					if (left === 0) inFlight.delete(key);
					else inFlight.set(key, left);
				}
			};
		},
	};
}
