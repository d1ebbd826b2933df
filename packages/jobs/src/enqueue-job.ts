import { randomUUID } from "node:crypto";
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
	requireIds(job, request);
	await tx.transaction(async (inside) => {
		if (await insert(inside, job, request)) return;
		if (await move(inside, job, request)) return;
		// The waiting job was started between the two statements: insert another one.
		if (await insert(inside, job, request)) return;
		throw new Error(`the queue of ${job.name} does not exist: is the job declared in the service?`);
	});
}

/**
 * Enqueues a job for each request, as `enqueueJob` does, in one statement as far as no job waits for its id.
 * Of several requests for one id the last counts. The order of the requests does not matter for locks.
 */
export async function enqueueJobs(
	tx: Database,
	job: AskedJob,
	requests: readonly JobRequest[],
): Promise<void> {
	for (const request of requests) requireIds(job, request);
	const byId = new Map(requests.map((request) => [request.id, request]));
	const ordered = [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
	if (ordered.length === 0) return;
	await tx.transaction(async (inside) => {
		for (const waiting of await insertAll(inside, job, ordered)) await enqueueJob(inside, job, waiting);
	});
}

function requireIds(job: AskedJob, { id, tenantId = "" }: JobRequest): void {
	if (!idForm.test(id) || (tenantId !== "" && !idForm.test(tenantId)))
		throw new Error(`the ids of a ${job.name} job must match ${idForm.source}`);
}

/** Returns the requests whose id has a waiting job: for them nothing was inserted. */
async function insertAll(
	tx: Database,
	{ name }: AskedJob,
	requests: readonly JobRequest[],
): Promise<readonly JobRequest[]> {
	const rows = requests.map((request) => ({ request, id: randomUUID(), ...jobOf(request) }));
	const jobs = rows.map(({ request: _request, ...row }) => row);
	const inserted = new Set(await writer.insert(name, jobs, { returnId: true, db: asBossDb(tx) }));
	return rows.filter(({ id }) => !inserted.has(id)).map(({ request }) => request);
}

async function insert(tx: Database, { name }: AskedJob, request: JobRequest): Promise<boolean> {
	const { data, ...options } = jobOf(request);
	return (await writer.send(name, data, { ...options, db: asBossDb(tx) })) !== null;
}

function jobOf({ startAfter, afterSeconds, ...ids }: JobRequest) {
	const isLater = startAfter !== undefined || (afterSeconds ?? 0) > 0;
	return {
		data: { ...ids, ...causeOf({ isLater }) },
		singletonKey: ids.id,
		startAfter: startAfter ?? afterSeconds ?? 0,
	};
}

async function move(
	tx: Database,
	{ name }: AskedJob,
	{ id, startAfter, afterSeconds }: JobRequest,
): Promise<boolean> {
	const options = { singletonKey: id, startAfter: startAfter ?? afterSeconds ?? 0, db: asBossDb(tx) };
	return (await writer.update(name, undefined, options)).updated > 0;
}
