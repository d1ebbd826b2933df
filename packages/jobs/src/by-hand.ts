import type { JobResult, PgBoss } from "pg-boss";
import { batchMaxOf } from "./boss.ts";
import type { AnyJob } from "./job.ts";
import { listDueQueues } from "./jobs.store.ts";
import { runRecoveryScan } from "./recovery-scan.ts";
import { type Kept, type Worker, workBatch } from "./work-batch.ts";

/** Fetches and runs due jobs until every queue is empty. Returns the number of attempts. */
export async function workDue<D>(worker: Worker<D>, jobs: readonly AnyJob<D>[]): Promise<number> {
	const names = jobs.map(({ name }) => name);
	let tries = 0;
	for (let isAny = true; isAny; ) {
		isAny = false;
		const due = new Set(await listDueQueues(worker.db, names));
		for (const job of jobs) {
			if (!due.has(job.name)) continue;
			const signal = AbortSignal.any([worker.cut]);
			const batch = await worker.boss.fetch<Kept>(job.name, { batchSize: batchMaxOf(job) });
			const results = await workBatch(
				worker,
				job,
				batch.map((one) => ({ ...one, signal })),
			);
			for (const result of results) await settle(worker.boss, job.name, { result, batch });
			tries += results.length;
			isAny ||= batch.length > 0;
		}
	}
	return tries;
}

type Settled = { result: JobResult; batch: ReadonlyArray<{ id: string; retryCount: number }> };

async function settle(boss: PgBoss, name: string, { result, batch }: Settled): Promise<void> {
	const attempt = batch.find(({ id }) => id === result.id);
	if (attempt === undefined) return;
	if (result.status === "completed") await boss.complete(name, attempt);
	else await boss.fail(name, attempt, result.output);
}

/** Runs one schedule or recovery scan now. Throws its error, or an Error if the name is unknown. */
export async function runNow<D>(worker: Worker<D>, jobs: readonly AnyJob<D>[], name: string): Promise<void> {
	const job = jobs.find((one) => one.name === name);
	if (job === undefined || job.kind === "job")
		throw new Error(`no schedule or recovery scan is named "${name}"`);
	const context = { now: worker.now, signal: worker.cut };
	if (job.kind === "schedule") await job.work(worker.dependencies, context);
	else await runRecoveryScan(worker.db, job, { ...context, dependencies: worker.dependencies });
}
