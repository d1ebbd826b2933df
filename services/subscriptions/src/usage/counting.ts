import { chassisFailures } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import type { Clock } from "../record/tenant-time.ts";
import type { FoundSubscription } from "../snapshots/snapshot.store.ts";
import type { CachedTerms } from "./cached-terms.ts";
import { type NearLimit, publishLimitWarning } from "./limit-warning.ts";
import type { TenantTerms } from "./tenant-terms.ts";

/** What counting works with. */
export type CountingParts = {
	db: Database;
	clock: Clock;
	terms: CachedTerms;
	/** Told of what failed behind a request that had its effect. */
	onError: (error: unknown, about: string) => void;
};

/** The time it is for a tenant, which may have a clock of its own outside production. */
export function timeOf({ testNow }: Pick<FoundSubscription, "testNow">, clock: Clock): Date {
	return (clock.hasTestClocks ? testNow : null) ?? clock.now();
}

const triesMax = 5;

/**
 * Counts by the terms at hand, and once more by new ones when the subscription has changed since they were read: so
 * memory saves the reading, and never lets an old limit count. Throws `no_subscription`, and `unavailable` when the
 * subscription changes all the time.
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

/** Gives warnings that are due. What was counted stays so when this fails; the sweep gives them later. */
export async function publishWarnings(
	{ db, clock, onError }: CountingParts,
	near: readonly NearLimit[],
): Promise<void> {
	for (const one of near)
		await publishLimitWarning(db, one, clock.now()).catch((error) =>
			onError(error, `the warning of ${one.metric}`),
		);
}
