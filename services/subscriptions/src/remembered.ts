import type { Database, Pool } from "@lango/postgres";
import type { Memories } from "./memory/hear-changes.ts";
import { holdUntilTold } from "./memory/memory.ts";
import { listPastTerms } from "./record/past-terms.store.ts";
import type { Clock } from "./record/tenant-time.ts";
import { type HeldSnapshot, holdSnapshots, type Snapshots } from "./snapshots/cached-snapshots.ts";
import { findSubscription } from "./snapshots/snapshot.store.ts";
import { holdVersionTerms } from "./snapshots/version-terms.ts";
import { type HeldTerms, holdTerms } from "./usage/cached-terms.ts";
import type { TenantTerms } from "./usage/tenant-terms.ts";

/** What this process remembers of subscriptions, and all its memories, to be told of changes. */
export type Remembered = { snapshots: Snapshots; terms: HeldTerms; memories: Memories };

/** Makes the memories, for so many tenants each; they keep nothing until they are told that they hear. */
export function remember({
	db,
	clock,
	tenantsMax,
}: {
	db: Pool;
	clock: Clock;
	tenantsMax: number;
}): Remembered {
	const { now } = clock;
	// Every other service depends on snapshots, and a snapshot on the terms of its versions: both go first.
	const first = db.lane("priority");
	const versions = holdVersionTerms(first, now);
	const find = (from: Database) => (tenantId: string) => findSubscription(from, tenantId, versions.terms);
	const snapshots = holdUntilTold<HeldSnapshot>({ now, sizeMax: tenantsMax });
	const terms = holdUntilTold<TenantTerms>({ now, sizeMax: tenantsMax, believedMs: termsBelievedMs });
	return {
		snapshots: holdSnapshots({ memory: snapshots, clock, find: find(first) }),
		terms: holdTerms(terms, find(db), (tenantId) => listPastTerms(db, tenantId)),
		memories: [...versions.memories, snapshots, terms],
	};
}

/** Every count checks the version it goes by: only a time zone or a test clock could be old for so long. */
const termsBelievedMs = 600_000;
