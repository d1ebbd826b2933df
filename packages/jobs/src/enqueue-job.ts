import type { Database } from "@lango/postgres";
import { asBossDb, bossWithin } from "./boss.ts";
import type { Queue } from "./job.ts";
import { causeOf } from "./trace-jobs.ts";

/**
 * Which row there is something to do about, whose it is, and from when on: from a moment by the database's clock, or so
 * many whole seconds from now on (for what goes by a clock that was given); at once when neither is said.
 */
export type JobRequest = { id: string; tenantId?: string; startAfter?: Date; afterSeconds?: number };

/** The job that is asked for. Its name is enough, so that what its work calls may ask for it again. */
export type AskedJob = Pick<Queue, "name">;

const idForm = /^[\w.-]{1,200}$/;

/** Every queue of a job is made alike (`startJobs`), so nobody has to be asked where its jobs go. */
const writer = bossWithin({
	executeSql: async (_text, [names] = []) => ({
		rows: (names as string[]).map((name) => ({ name, table: "job_common", policy: "short", notify: true })),
	}),
});

/**
 * Asks for a job in the caller's transaction: both commit, or neither does. For each id one job may wait; asking again
 * moves it to the later request's time, so the last change of a row decides. Throws an Error when the id is not
 * plain, or the queue was never made: a service makes its queues when it starts.
 */
export async function enqueueJob(tx: Database, job: AskedJob, request: JobRequest): Promise<void> {
	const { id, tenantId = "" } = request;
	if (!idForm.test(id) || (tenantId !== "" && !idForm.test(tenantId)))
		throw new Error(`a job of ${job.name} holds plain ids`);
	await tx.transaction(async (inside) => {
		if (await insert(inside, job, request)) return;
		if (await move(inside, job, request)) return;
		// Between the two it was begun: what is asked for now is a job after it.
		if (await insert(inside, job, request)) return;
		throw new Error(`the queue of ${job.name} does not exist: is the job declared?`);
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
