import type { Database } from "@lango/postgres";
import { type Keeping, listPurgeable, removeOldUsage } from "./purge.store.ts";
import { reportedWithinMs } from "./report.ts";

const dayMs = 24 * 3_600_000;
const tenantsMax = 200;
const rowsMax = 1_000;
const roundsMax = 20;

/**
 * What is kept: ids of reports a day longer than a report may be old; counters of days and periods for 400 days;
 * consumptions 40 days and as long as their period is open, so that they can be given back in it; those given back 8
 * days. What stands is kept until it is given back.
 */
function keepingAt(now: Date): Keeping {
	const before = (ms: number) => new Date(now.getTime() - ms);
	return {
		reportsFrom: before(reportedWithinMs + dayMs),
		countersFrom: before(400 * dayMs),
		consumptionsFrom: before(40 * dayMs),
		releasesFrom: before(8 * dayMs),
	};
}

/** Removes what nobody needs any more, in small transactions; answers how many rows went. What is left is for the next time. */
export async function purgeUsage(db: Database, now: Date): Promise<number> {
	const keep = keepingAt(now);
	let gone = 0;
	for (let round = 0; round < roundsMax; round += 1) {
		const tenants = await listPurgeable(db, keep, tenantsMax);
		for (const tenantId of tenants) gone += await removeOldUsage(db, { tenantId, keep, max: rowsMax });
		if (tenants.length === 0) break;
	}
	return gone;
}
