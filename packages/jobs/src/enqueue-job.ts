import type { Database } from "@lango/postgres";
import { asBossDb, bossWithin } from "./boss.ts";
import type { Queue } from "./job.ts";
import { causeOf } from "./trace-jobs.ts";

/**
 * The row that the job is about, its tenant, and the start: `startAfter` is a time by the database's clock,
 * `afterSeconds` a delay in whole seconds. The default is now.
 */
export type JobRequest = { id: string; tenantId?: string; startAfter?: Date; afterSeconds?: number };

/** The job by its name, so that code that `work` calls can enqueue it without importing the work. */
export type AskedJob = Pick<Queue, "name">;

const idForm = /^[\w.-]{1,200}$/;

/** All job queues are created alike (`startJobs`), so the table of a queue is known without a query. */
const writer = bossWithin({
	executeSql: async (_text, [names] = []) => ({
		rows: (names as string[]).map((name) => ({ name, table: "job_common", policy: "short", notify: true })),
	}),
});

/**
 * Enqueues a job in the caller's transaction: both commit or neither does. At most one job waits for each id;
 * a second request moves the waiting job to its own start time. Throws an Error if the id has invalid
 * characters or the queue does not exist (a service creates its queues when it starts).
 */
export async function enqueueJob(tx: Database, job: AskedJob, request: JobRequest): Promise<void> {
	const { id, tenantId = "" } = request;
	if (!idForm.test(id) || (tenantId !== "" && !idForm.test(tenantId)))
		throw new Error(`the ids of a ${job.name} job must match ${idForm.source}`);
	await tx.transaction(async (inside) => {
		if (await insert(inside, job, request)) return;
		if (await move(inside, job, request)) return;
		// The waiting job was started between the two statements: insert another one.
		if (await insert(inside, job, request)) return;
		throw new Error(`the queue of ${job.name} does not exist: is the job declared in the service?`);
	});
}

async function insert(
	tx: Database,
	{ name }: AskedJob,
	{ startAfter, afterSeconds, ...data }: JobRequest,
): Promise<boolean> {
	const options = { singletonKey: data.id, startAfter: startAfter ?? afterSeconds ?? 0, db: asBossDb(tx) };
	const isLater = startAfter !== undefined || (afterSeconds ?? 0) > 0;
	return (await writer.send(name, { ...data, ...causeOf({ isLater }) }, options)) !== null;
}

async function move(
	tx: Database,
	{ name }: AskedJob,
	{ id, startAfter, afterSeconds }: JobRequest,
): Promise<boolean> {
	const options = { singletonKey: id, startAfter: startAfter ?? afterSeconds ?? 0, db: asBossDb(tx) };
	return (await writer.update(name, undefined, options)).updated > 0;
}
