import { createCache } from "@lango/memory";
import type { Database, Pool } from "@lango/postgres";
import type { Caches } from "./cache/invalidate-on-change.ts";
import { listPastTerms } from "./record/past-terms.store.ts";
import type { Clock } from "./record/tenant-time.ts";
import { type CachedSnapshot, cacheSnapshots, type Snapshots } from "./snapshots/cached-snapshots.ts";
import { findSubscription } from "./snapshots/snapshot.store.ts";
import { cacheVersionTerms } from "./snapshots/version-terms.ts";
import { type CachedTerms, cacheTerms } from "./usage/cached-terms.ts";
import type { TenantTerms } from "./usage/tenant-terms.ts";

/** The caches of this process, and the list of all of them for invalidation. */
export type ServiceCaches = { snapshots: Snapshots; terms: CachedTerms; caches: Caches };

/** Creates the caches, each for a number of tenants. They store nothing until invalidations are received. */
export function createCaches({
	db,
	clock,
	tenantsMax,
}: {
	db: Pool;
	clock: Clock;
	tenantsMax: number;
}): ServiceCaches {
	const { now } = clock;
	// Every other service depends on snapshots, and snapshots on the terms of versions: both have priority.
	const first = db.lane("priority");
	const versions = cacheVersionTerms(first, now);
	const find = (from: Database) => (tenantId: string) => findSubscription(from, tenantId, versions.terms);
	const options = { now, sizeMax: tenantsMax, isListening: false };
	const snapshots = createCache<CachedSnapshot>({
		...options,
		maxAgeMs: snapshotsMaxAgeMs,
		untilOf: ({ until }) => until,
	});
	const terms = createCache<TenantTerms>({ ...options, maxAgeMs: termsMaxAgeMs });
	return {
		snapshots: cacheSnapshots({ cache: snapshots, clock, find: find(first) }),
		terms: cacheTerms(terms, find(db), (tenantId) => listPastTerms(db, tenantId)),
		caches: [...versions.caches, snapshots, terms],
	};
}

/** A lost connection for notifications may go unnoticed for so long. */
const snapshotsMaxAgeMs = 60_000;

/**
 * Every count checks the version of its terms. Only the time zone and the test clock could be stale for so
 * long.
 */
const termsMaxAgeMs = 600_000;
