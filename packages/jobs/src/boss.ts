import type { Database } from "@lango/postgres";
import { type Db, PgBoss, type QueueOptions } from "pg-boss";
import type { AnyJob, Queue } from "./job.ts";

/** The pauses a test may shorten; pg-boss allows no heartbeat under 10 s. */
export type Timings = {
	/** A job whose process has not been heard of for so long is given to another. */
	heartbeatSeconds: number;
	/** How often such jobs are looked for. */
	watchSeconds: number;
	/** How often a queue is looked at for jobs that fall due; new ones are told of at once. */
	pollSeconds: number;
	/** How long a stop waits for what is under way. */
	drainMs: number;
};

export const standardTimings: Timings = {
	heartbeatSeconds: 30,
	watchSeconds: 15,
	pollSeconds: 5,
	drainMs: 7_000,
};

const daySeconds = 86_400;
const keepDoneSeconds = 3_600;
const keepWaitingSeconds = 30 * daySeconds;
const statementMs = 15_000;

/** What pg-boss may not do here: change its tables, keep statistics, look after PostgreSQL's vacuum. */
const quiet = {
	migrate: false,
	createSchema: false,
	schedule: false,
	monitorVacuum: false,
	reindex: false,
} as const;

/** Of the driver itself, which pg-boss hands it on to: how long an answer is waited for when the server has gone. */
const driver = { query_timeout: statementMs + 2_000 };

type BossOptions = { url: string; name: string; timings: Timings; isByHand: boolean };

/** A pg-boss with its own few connections and one that listens. It does nothing before `start`. */
export function openBoss({ url, name, timings, isByHand }: BossOptions): PgBoss {
	return new PgBoss({
		...quiet,
		...driver,
		connectionString: url,
		application_name: `lango-${name}-jobs`,
		max: isByHand ? 1 : 3,
		connectionTimeoutMillis: 5_000,
		options: `-c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=30000`,
		supervise: !isByHand,
		useListenNotify: !isByHand,
		superviseIntervalSeconds: timings.watchSeconds,
		monitorIntervalSeconds: timings.watchSeconds,
		maintenanceIntervalSeconds: 600,
		flowIntervalSeconds: daySeconds,
	});
}

/** A pg-boss that is never started and works in the transactions it is given. */
export const bossWithin = (db: Db): PgBoss => new PgBoss({ ...quiet, db, supervise: false });

/** One of our handles, or a transaction of it, as pg-boss would have it. */
export const asBossDb = (db: Database): Db => ({
	executeSql: async (text, values = []) => ({ rows: await db.query(text, values) }),
});

/** How many jobs are fetched at once. */
export const batchMaxOf = ({ atOnce }: Queue): number => Math.max(20, 2 * atOnce);

/** Dead letters wait for somebody who mends them as long as jobs wait for their turn. */
export const deadLetterOptions: QueueOptions = { retentionSeconds: keepWaitingSeconds };

/** The queue of a job in pg-boss's words. A batch lasts as long as its jobs may, one group of `atOnce` after the other. */
export function queueOptions(
	job: AnyJob<never>,
	{ heartbeatSeconds }: Timings,
): QueueOptions & { notify: boolean } {
	const groups = Math.ceil(batchMaxOf(job) / job.atOnce);
	const everySeconds = job.kind === "job" ? 0 : job.everySeconds;
	return {
		notify: true,
		heartbeatSeconds,
		expireInSeconds: groups * job.timeoutSeconds + 30,
		retryLimit: job.retries,
		retryDelay: job.retryDelaySeconds,
		retryDelayMax: job.retryDelayMaxSeconds,
		retryBackoff: true,
		retentionSeconds: keepWaitingSeconds,
		// A slot of a schedule is taken for as long as its job is kept.
		deleteAfterSeconds: Math.max(keepDoneSeconds, 2 * everySeconds),
	};
}
