import type { Database } from "@lango/postgres";
import { type Keeping, listPurgeable, removeOldUsage } from "./purge.store.ts";
import { reportedWithinMs } from "./report.ts";
import { warnOfAll } from "./warn-of-limit.ts";

const dayMs = 24 * 3_600_000;
const tenantsMax = 200;
const rowsMax = 1_000;
const roundsMax = 20;
const everyMs = 10 * 60_000;

/**
 * What is kept: ids of reports a day longer than a report may be old; counters of days and periods for 400 days;
 * consumptions 40 days, so that one of a month's period can be given back in it; those given back 8 days. What stands
 * is kept until it is given back.
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

export type SweepOptions = {
	db: Database;
	now: () => Date;
	onTrouble: (error: unknown, about: string) => void;
};

/** Purges and gives the warnings that were missed, every ten minutes. `stop` waits for a round under way. */
export function startSweep({ db, now, onTrouble }: SweepOptions): { stop(): Promise<void> } {
	let underWay: Promise<unknown> = Promise.resolve();
	const sweep = async () => {
		await purgeUsage(db, now()).catch((error) => onTrouble(error, "the purge of usage"));
		await warnOfAll(db, now()).catch((error) => onTrouble(error, "warnings of limits"));
	};
	const timer = setInterval(() => {
		underWay = underWay.then(sweep);
	}, everyMs);
	timer.unref();
	return {
		async stop() {
			clearInterval(timer);
			await underWay;
		},
	};
}
