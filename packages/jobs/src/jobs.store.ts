import type { Database } from "@lango/postgres";

/** Creates queues of pg-boss that do not exist. In the order of their names: processes start at once. */
export async function createQueues(
	db: Database,
	queues: ReadonlyArray<{ name: string; policy: string; options: object }>,
): Promise<void> {
	const rows = queues.map(({ name, policy, options }) => ({ name, options: { ...options, policy } }));
	await db.query(
		`select pgboss.create_queue(name, options)
		   from (select * from jsonb_to_recordset($1) as q (name text, options jsonb) order by name) as sorted`,
		[JSON.stringify(rows)],
	);
}

/** Returns those of the queues that have a due job. */
export async function listDueQueues(db: Database, queues: readonly string[]): Promise<string[]> {
	const rows = await db.query<{ name: string }>(
		`select name from unnest($1::text[]) as q (name)
		  where exists (
		        select from pgboss.job j
		         where j.name = q.name and state < 'active' and not blocked and start_after <= pgboss.job_now())`,
		[queues],
	);
	return rows.map(({ name }) => name);
}

/** Returns those of the schedules that have no job of the current slot. */
export async function listOpenSlots<S extends { name: string; everySeconds: number }>(
	db: Database,
	schedules: readonly S[],
): Promise<S[]> {
	const rows = await db.query<{ name: string }>(
		`select name from unnest($1::text[], $2::integer[]) as s (name, seconds)
		  where not exists (
		        select from pgboss.job j
		         where j.name = s.name and j.state <> 'cancelled'
		           and j.singleton_on = 'epoch'::timestamp + interval '1 second'
		               * (seconds * floor(extract(epoch from pgboss.job_now()) / seconds))::float8)`,
		[schedules.map(({ name }) => name), schedules.map(({ everySeconds }) => everySeconds)],
	);
	const open = new Set(rows.map(({ name }) => name));
	return schedules.filter(({ name }) => open.has(name));
}

/** One attempt at a job. */
export type Attempt = { id: string; retryCount: number };

/**
 * Returns running jobs to the queue for immediate execution; the attempt does not count. Jobs that another
 * process has taken over are not changed. Returns the number of jobs returned.
 */
export async function returnToQueue(
	db: Database,
	{ queue, attempts }: { queue: string; attempts: readonly Attempt[] },
): Promise<number> {
	const rows = await db.query(
		`update pgboss.job
		    set state = 'retry', retry_limit = retry_limit + 1, start_after = pgboss.job_now(), heartbeat_on = null
		   from unnest($2::uuid[], $3::integer[]) as held (id, retry_count)
		  where job.name = $1 and job.id = held.id and job.retry_count = held.retry_count and job.state = 'active'
		returning job.id`,
		[queue, attempts.map(({ id }) => id), attempts.map(({ retryCount }) => retryCount)],
	);
	return rows.length;
}

/** Grants a job one more retry, for a failed attempt that must not count. */
export async function grantRetry(
	db: Database,
	{ queue, attempt: { id, retryCount } }: { queue: string; attempt: Attempt },
): Promise<void> {
	await db.query(
		`update pgboss.job set retry_limit = retry_limit + 1
		  where name = $1 and id = $2 and retry_count = $3 and state = 'active'`,
		[queue, id, retryCount],
	);
}

/**
 * Returns those of the ids that have a job: due, running, waiting for a retry, or a dead letter. Jobs with a
 * later start are not included.
 */
export async function listIdsWithJob(
	db: Database,
	{ queue, deadLetters, ids }: { queue: string; deadLetters: string; ids: readonly string[] },
): Promise<string[]> {
	const rows = await db.query<{ id: string }>(
		`select distinct data->>'id' as id from pgboss.job
		  where name = any($1) and data->>'id' = any($2)
		    and (state in ('retry', 'active') or state = 'created' and start_after <= pgboss.job_now())`,
		[[queue, deadLetters], ids],
	);
	return rows.map(({ id }) => id);
}

/** A dead letter: a job that has used up its retries, with the last error. */
export type DeadJob = {
	/** The id for `redriveDeadJob`. */
	deadId: string;
	job: string;
	/** The id of the row; null for a schedule. */
	id: string | null;
	diedAt: Date;
	tries: number;
	reason: string;
};

type DeadRow = {
	dead_id: string;
	job: string;
	id: string | null;
	died_at: Date;
	tries: number;
	reason: string | null;
	micros: bigint;
};

/**
 * Lists the dead letters of all queues, oldest first, at most `limit`. `micros` is the exact time of death
 * for the cursor.
 */
export async function listDead(
	db: Database,
	{ after, limit }: { after: { micros: bigint; deadId: string }; limit: number },
): Promise<Array<DeadJob & { micros: bigint }>> {
	const rows = await db.query<DeadRow>(
		`select id as dead_id, coalesce(source_name, name) as job, data->>'id' as id, created_on as died_at,
		        coalesce(source_retry_count, 0) + 1 as tries,
		        coalesce(source_output->>'message', source_output->'value'->>'message') as reason,
		        (extract(epoch from created_on) * 1000000)::bigint as micros
		   from pgboss.job
		  where name like '%.dead' and state = 'created'
		    and ((extract(epoch from created_on) * 1000000)::bigint, id) > ($1::bigint, $2::uuid)
		  order by created_on, id
		  limit $3`,
		[after.micros, after.deadId, limit],
	);
	return rows.map(({ dead_id, died_at, reason, ...row }) => ({
		...row,
		deadId: dead_id,
		diedAt: died_at,
		reason: reason ?? "no reason recorded",
	}));
}

/** Returns the queue of a dead letter, or undefined if the dead letter does not exist. */
export async function findDeadLetters(db: Database, deadId: string): Promise<string | undefined> {
	const [row] = await db.query<{ name: string }>(
		`select name from pgboss.job where id = $1 and name like '%.dead' and state = 'created'`,
		[deadId],
	);
	return row?.name;
}

/** The number of due jobs and of dead letters of a queue. */
export type QueueCount = { name: string; ready: number; dead: number };

/** The counts of pg-boss's monitor, some seconds old: cheap for any number of jobs. */
export async function countQueues(db: Database): Promise<QueueCount[]> {
	return db.query<QueueCount>(
		`select queue.name, queue.ready_count as ready, dead.queued_count as dead
		   from pgboss.queue join pgboss.queue as dead on dead.name = queue.dead_letter
		  order by queue.name`,
	);
}
