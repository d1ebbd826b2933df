import type { Cache } from "@lango/memory";
import { failures } from "../failures.ts";
import type { PastTerms } from "../record/past-terms.store.ts";
import type { FoundSubscription } from "../snapshots/snapshot.store.ts";
import { type TenantTerms, termsOf } from "./tenant-terms.ts";

/** Cached terms of tenants. Every count checks that they belong to the current version. */
export type CachedTerms = {
	/** The terms, cached or read. Throws `no_subscription`. */
	get(tenantId: string): Promise<TenantTerms>;
	/** The stored terms without earlier ones. Throws `no_subscription`. */
	read(tenantId: string): Promise<TenantTerms>;
	/** Invalidates a tenant's terms. */
	invalidate(tenantId: string): void;
};

/** Caches the terms of the tenants used last. Concurrent requests share one read. */
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
	// Earlier terms are read last. A change in between is included, and has raised the version that every count
	// checks.
	const readAll = async (tenantId: string) => {
		const record = await read(tenantId);
		return termsOf(record, await listPast(tenantId));
	};
	return {
		get: (tenantId) => cache.load(tenantId, () => readAll(tenantId)),
		read: async (tenantId) => termsOf(await read(tenantId)),
		invalidate: (tenantId) => cache.invalidate(tenantId),
	};
}
