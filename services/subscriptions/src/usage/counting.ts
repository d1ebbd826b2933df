import { chassisFailures } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import type { Clock } from "../record/tenant-time.ts";
import type { FoundSubscription } from "../snapshots/snapshot.store.ts";
import type { CachedTerms } from "./cached-terms.ts";
import { type NearLimit, publishLimitWarning } from "./limit-warning.ts";
import type { TenantTerms } from "./tenant-terms.ts";

/** The dependencies of counting. */
export type CountingParts = {
	db: Database;
	clock: Clock;
	terms: CachedTerms;
	/** Called with an error that does not affect the response. */
	onError: (error: unknown, about: string) => void;
};

/** A tenant's time, which can be a test clock outside production. */
export function timeOf({ testNow }: Pick<FoundSubscription, "testNow">, clock: Clock): Date {
	return (clock.hasTestClocks ? testNow : null) ?? clock.now();
}

const triesMax = 5;

/**
 * Counts with the cached terms, and retries with new ones if the subscription has changed since they were
 * read, so that a stale limit is never used. Throws `no_subscription`, and `unavailable` if the subscription
 * changes on every retry.
 */
export async function countByTerms<T>(
	{ terms }: CountingParts,
	tenantId: string,
	count: (terms: TenantTerms) => Promise<T | "stale">,
): Promise<T> {
	for (let attempt = 0; attempt < triesMax; attempt += 1) {
		const counted = await count(await terms.get(tenantId));
		if (counted !== "stale") return counted;
		terms.invalidate(tenantId);
	}
	throw chassisFailures.unavailable({
		cause: new Error(`the terms of ${tenantId} changed ${triesMax} times`),
	});
}

/**
 * Publishes due warnings. If this fails, the count is kept, and the schedule `usage.warn` publishes them
 * later.
 */
export async function publishWarnings(
	{ db, clock, onError }: CountingParts,
	near: readonly NearLimit[],
): Promise<void> {
	for (const one of near)
		await publishLimitWarning(db, one, clock.now()).catch((error) =>
			onError(error, `publishing the warning of ${one.metric}`),
		);
}
