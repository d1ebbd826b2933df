import type { Subscription } from "@lango/contracts";
import type { Cache } from "@lango/memory";
import { failures } from "../failures.ts";
import type { Clock } from "../record/tenant-time.ts";
import { snapshotAt } from "../rules/lifecycle/state.ts";
import { entityTagOf } from "./entity-tag.ts";
import type { FoundSubscription } from "./snapshot.store.ts";

/**
 * A snapshot as it is sent, in UTF-8. Only its bytes are cached, outside the JavaScript heap: thousands of
 * snapshots as objects would cause garbage collection pauses of tens of milliseconds.
 */
export type CachedSnapshot = {
	body: Buffer;
	tag: string;
	/** When the subscription changes by itself, in milliseconds since 1970. */
	until: number;
};

/** Parses the snapshot. */
export const snapshotOf = ({ body }: CachedSnapshot): Subscription => JSON.parse(body.toString());

/** Snapshots of tenants, cached or read. */
export type Snapshots = {
	/** The tenant's current snapshot. Throws `no_subscription`. */
	get(tenantId: string): Promise<CachedSnapshot>;
};

export type SnapshotParts = {
	cache: Cache<CachedSnapshot>;
	clock: Clock;
	find: (tenantId: string) => Promise<FoundSubscription | undefined>;
};

/** Caches snapshots until the subscription changes or their `next_change_at` passes. */
export function cacheSnapshots({ cache, clock, find }: SnapshotParts): Snapshots {
	const read = async (tenantId: string): Promise<CachedSnapshot> => {
		const record = await find(tenantId);
		if (record === undefined) throw failures.no_subscription();
		// A test clock does not run; moving it invalidates the cache.
		const testNow = clock.hasTestClocks ? record.testNow : null;
		const snapshot = snapshotAt(record, testNow ?? clock.now());
		const text = JSON.stringify(snapshot);
		const next = testNow === null ? snapshot.next_change_at : null;
		const until = next === null ? Number.POSITIVE_INFINITY : Date.parse(next);
		return { body: Buffer.from(text), tag: entityTagOf(snapshot, text), until };
	};
	return {
		get(givenId) {
			const tenantId = givenId.toLowerCase();
			return cache.load(tenantId, () => read(tenantId));
		},
	};
}
