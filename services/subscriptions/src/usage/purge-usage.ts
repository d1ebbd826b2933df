import type { Database } from "@lango/postgres";
import { listPurgeable, type Retention, removeOldUsage } from "./purge.store.ts";
import { reportedWithinMs } from "./report.ts";

const dayMs = 24 * 3_600_000;
const tenantsMax = 200;
const rowsMax = 1_000;
/** The maximum duration of a purge. */
export const purgeSeconds = 300;

/**
 * How long rows are kept: report ids and earlier terms one day longer than the maximum age of a report;
 * counters of days and periods 400 days; consumptions 40 days and until their period ends, so that they can
 * be released in it; released ones 8 days. Existing things are kept until they are released.
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

/** The number of removed rows, and of tenants with rows remaining, counted up to 200. */
export type Purged = { removed: number; remaining: number };

/** Removes expired rows in small transactions until none remain or the time is up. */
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
		// Stop if nothing could be removed, or the loop would not end.
		if (removed === before) return { removed, remaining: tenants.length };
	}
}

type Parts = { db: Database; onError: (error: unknown, about: string) => void };

/** Purges until one minute before the job's timeout, and reports if rows remain for the next run. */
export async function purgeInTime(
	{ db, onError }: Parts,
	{ now, signal }: { now: () => Date; signal: AbortSignal },
): Promise<void> {
	const timeIsUp = AbortSignal.timeout((purgeSeconds - 60) * 1_000);
	const { removed, remaining } = await purgeUsage(db, now(), AbortSignal.any([signal, timeIsUp]));
	if (remaining > 0)
		onError(
			new Error(`removed ${removed} rows; ${remaining} or more tenants have rows left`),
			"purging usage",
		);
}
