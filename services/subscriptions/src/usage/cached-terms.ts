import type { Cache } from "../cache/cache.ts";
import { failures } from "../failures.ts";
import type { PastTerms } from "../record/past-terms.store.ts";
import type { FoundSubscription } from "../snapshots/snapshot.store.ts";
import { type TenantTerms, termsOf } from "./tenant-terms.ts";

/** Terms of tenants, kept in memory. Every count checks that they are still those of the record's version. */
export type CachedTerms = {
	/** The terms as known, or read now. Throws `no_subscription`. */
	get(tenantId: string): Promise<TenantTerms>;
	/** The terms as they are stored now, without those of before. Throws `no_subscription`. */
	read(tenantId: string): Promise<TenantTerms>;
	/** Forgets a tenant's terms: they have changed. */
	invalidate(tenantId: string): void;
};

/** Remembers the terms of the tenants that were asked for last; many requests at once read one time. */
export function cacheTerms(
	cache: Cache<TenantTerms>,
	find: (tenantId: string) => Promise<FoundSubscription | undefined>,
	listPast: (tenantId: string) => Promise<readonly PastTerms[]>,
): CachedTerms {
	const read = async (tenantId: string) => {
		const record = await find(tenantId);
		if (record === undefined) throw failures.no_subscription();
		return record;
	};
	// What was before is read last: a change in between is in it, and raised the version which every count checks.
	const readAll = async (tenantId: string) => {
		const record = await read(tenantId);
		return termsOf(record, await listPast(tenantId));
	};
	return {
		get: (tenantId) => cache.find(tenantId, async () => ({ value: await readAll(tenantId) })),
		read: async (tenantId) => termsOf(await read(tenantId)),
		invalidate: (tenantId) => cache.invalidate(tenantId),
	};
}
