import type { Database } from "@lango/postgres";
import { listPurgeable, type Retention, removeOldUsage } from "./purge.store.ts";
import { reportedWithinMs } from "./report.ts";

const dayMs = 24 * 3_600_000;
const tenantsMax = 200;
const rowsMax = 1_000;
/** How long a purge may take, in all. */
export const purgeSeconds = 300;

/**
 * What is kept: ids of reports, and the terms of before, a day longer than a report may be old; counters of days and periods for 400 days;
 * consumptions 40 days and as long as their period is open, so that they can be given back in it; those given back 8
 * days. What stands is kept until it is given back.
 */
function retentionAt(now: Date): Retention {
	const before = (ms: number) => new Date(now.getTime() - ms);
	return {
		reportsFrom: before(reportedWithinMs + dayMs),
		countersFrom: before(400 * dayMs),
		consumptionsFrom: before(40 * dayMs),
		releasesFrom: before(8 * dayMs),
		termsFrom: before(reportedWithinMs + dayMs),
	};
}

/** How many rows went, and of how many tenants some are left: 200 stand for as many or more. */
export type Purged = { removed: number; remaining: number };

/** Removes what nobody needs any more, in small transactions, until all of it is gone or the time is up. */
export async function purgeUsage(db: Database, now: Date, until?: AbortSignal): Promise<Purged> {
	const retention = retentionAt(now);
	const isTimeUp = () => until?.aborted === true;
	let removed = 0;
	for (;;) {
		const tenants = await listPurgeable(db, retention, tenantsMax);
		if (tenants.length === 0 || isTimeUp()) return { removed, remaining: tenants.length };
		const before = removed;
		for (const tenantId of tenants) {
			if (isTimeUp()) break;
			removed += await removeOldUsage(db, { tenantId, retention, max: rowsMax });
		}
		// What is found and cannot go would be found for ever.
		if (removed === before) return { removed, remaining: tenants.length };
	}
}

type Parts = { db: Database; onError: (error: unknown, about: string) => void };

/** Purges for as long as the job may take but its last minute, and tells when something is left for the next time. */
export async function purgeInTime(
	{ db, onError }: Parts,
	{ now, signal }: { now: () => Date; signal: AbortSignal },
): Promise<void> {
	const timeIsUp = AbortSignal.timeout((purgeSeconds - 60) * 1_000);
	const { removed, remaining } = await purgeUsage(db, now(), AbortSignal.any([signal, timeIsUp]));
	if (remaining > 0)
		onError(
			new Error(`${removed} rows went, and of ${remaining} or more tenants some are left`),
			"the purge of usage",
		);
}
