import type { Database } from "@lango/postgres";
import { enqueueJobs } from "./enqueue-job.ts";
import { deadLettersOf, type Job, type OverdueRow, type RecoveryScan, type RunContext } from "./job.ts";
import { listIdsWithJob } from "./jobs.store.ts";

const pageMax = 500;
const pagesMax = 20;

/**
 * Enqueues the rows of `find` that have no job. Reads at most 10,000 rows. Returns the number of lost jobs.
 */
export async function runRecoveryScan<D>(
	db: Database,
	{ job, find }: RecoveryScan<D>,
	{ dependencies, now, signal }: RunContext & { dependencies: D },
): Promise<number> {
	let lost = 0;
	let after: string | undefined;
	for (let page = 0; page < pagesMax && !signal.aborted; page += 1) {
		const rows = await find(dependencies, { now: now(), after, limit: pageMax });
		const known = await listKnown(db, job, rows);
		const without = rows.filter(({ id }) => !known.has(id));
		await enqueueJobs(db, job, without);
		lost += without.length;
		if (rows.length < pageMax) break;
		after = rows.at(-1)?.id;
	}
	return lost;
}

async function listKnown(
	db: Database,
	job: Job<never>,
	rows: readonly OverdueRow[],
): Promise<ReadonlySet<string>> {
	if (rows.length === 0) return new Set();
	const ids = rows.map(({ id }) => id);
	return new Set(await listIdsWithJob(db, { queue: job.name, deadLetters: deadLettersOf(job), ids }));
}
