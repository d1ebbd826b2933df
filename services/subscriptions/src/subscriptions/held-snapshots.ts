import type { Subscription } from "@lango/contracts";
import type { Clock } from "../clock/tenant-time.ts";
import { failures } from "../failures.ts";
import type { Found, Memory } from "../memory/memory.ts";
import { entityTagOf } from "./entity-tag.ts";
import type { FoundSubscription } from "./subscription.store.ts";
import { snapshotAt } from "./subscription.ts";

/** A snapshot as it is sent. */
export type HeldSnapshot = { snapshot: Subscription; body: string; tag: string };

/** Snapshots of tenants, from memory or as they are stored. */
export type Snapshots = {
	/** How the tenant stands now. Throws `no_subscription`. */
	get(tenantId: string): Promise<HeldSnapshot>;
};

export type SnapshotParts = {
	memory: Memory<HeldSnapshot>;
	clock: Clock;
	find: (tenantId: string) => Promise<FoundSubscription | undefined>;
};

/** Keeps snapshots until something changes, or their `next_change_at` passes. */
export function holdSnapshots({ memory, clock, find }: SnapshotParts): Snapshots {
	const read = async (tenantId: string): Promise<Found<HeldSnapshot>> => {
		const record = await find(tenantId);
		if (record === undefined) throw failures.no_subscription();
		// A clock of the tenant's own stands still: moving it is a change.
		const testNow = clock.hasTestClocks ? record.testNow : null;
		const snapshot = snapshotAt(record, testNow ?? clock.now());
		const body = JSON.stringify(snapshot);
		const value = { snapshot, body, tag: entityTagOf(snapshot, body) };
		const next = testNow === null ? snapshot.next_change_at : null;
		return next === null ? { value } : { value, until: Date.parse(next) };
	};
	return {
		get(givenId) {
			const tenantId = givenId.toLowerCase();
			return memory.find(tenantId, () => read(tenantId));
		},
	};
}
