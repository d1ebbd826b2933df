import type { Database } from "@lango/postgres";
import { enqueueJob } from "./enqueue-job.ts";
import { deadLettersOf, type Sweep, type Turn } from "./job.ts";
import { listIdsWithJob } from "./jobs.store.ts";

const pageMax = 500;
const pagesMax = 20;

/** Enqueues again the rows `find` names that have no job. Looks at 10,000 rows at most; returns how many jobs were lost. */
export async function sweepLost<D>(
	db: Database,
	{ job, find }: Sweep<D>,
	{ dependencies, now, signal }: Turn & { dependencies: D },
): Promise<number> {
	let lost = 0;
	let after: string | undefined;
	for (let page = 0; page < pagesMax && !signal.aborted; page += 1) {
		const ids = await find(dependencies, { now: now(), after, limit: pageMax });
		const names = { queue: job.name, deadLetters: deadLettersOf(job) };
		const known = new Set(ids.length > 0 ? await listIdsWithJob(db, { ...names, ids }) : []);
		for (const id of ids.filter((one) => !known.has(one))) {
			await enqueueJob(db, job, { id });
			lost += 1;
		}
		if (ids.length < pageMax) break;
		after = ids.at(-1);
	}
	return lost;
}
