import type { Database } from "@lango/postgres";
import { type Db, PgBoss, type QueueOptions } from "pg-boss";
import type { AnyJob, Queue } from "./job.ts";

/** Intervals that tests may shorten. pg-boss allows no heartbeat under 10 s. */
export type Timings = {
	/** A job whose process sent no heartbeat for this long is retried by another process. */
	heartbeatSeconds: number;
	/** How often expired jobs are looked for. */
	watchSeconds: number;
	/** How often the queues are polled for jobs that fall due. New jobs are announced by NOTIFY. */
	pollSeconds: number;
	/** How long a stop waits for running jobs. */
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

/**
 * Turns off what pg-boss must not do here: change its tables, keep statistics, monitor PostgreSQL's vacuum.
 */
const quiet = {
	migrate: false,
	createSchema: false,
	schedule: false,
	monitorVacuum: false,
	reindex: false,
} as const;

/** Passed on to the driver: how long it waits for a response of an unreachable server. */
const driver = { query_timeout: statementMs + 2_000 };

type BossOptions = { url: string; name: string; timings: Timings; isByHand: boolean };

/**
 * Creates a pg-boss instance with its own small pool and one listening connection. It is idle until `start`.
 */
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

/** A pg-boss instance that is never started and runs its statements in the given transaction. */
export const bossWithin = (db: Db): PgBoss => new PgBoss({ ...quiet, db, supervise: false });

/** Adapts one of our database handles, or a transaction, to pg-boss. */
export const asBossDb = (db: Database): Db => ({
	executeSql: async (text, values = []) => ({ rows: await db.query(text, values) }),
});

/** The number of jobs that are fetched at once. */
export const batchMaxOf = ({ atOnce }: Queue): number => Math.max(20, 2 * atOnce);

/** Dead letters are kept as long as waiting jobs. */
export const deadLetterOptions: QueueOptions = { retentionSeconds: keepWaitingSeconds };

/**
 * The options of a job's queue for pg-boss. A batch may run as long as its jobs together, `atOnce` in
 * parallel.
 */
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
		// The job of a schedule occupies its slot for as long as it is kept.
		deleteAfterSeconds: Math.max(keepDoneSeconds, 2 * everySeconds),
	};
}
