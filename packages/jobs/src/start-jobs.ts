import type { Database } from "@lango/postgres";
import type { Tracer } from "@opentelemetry/api";
import type { PgBoss } from "pg-boss";
import {
	batchMaxOf,
	deadLetterOptions,
	openBoss,
	queueOptions,
	standardTimings,
	type Timings,
} from "./boss.ts";
import { runNow, workDue } from "./by-hand.ts";
import { type AnyJob, deadLettersOf } from "./job.ts";
import { countQueues, createQueues, type QueueCount, returnToQueue } from "./jobs.store.ts";
import { startNotifyingDue } from "./notify-due.ts";
import { startSchedules } from "./schedules.ts";
import { type Kept, type Outcome, type Worker, workBatch } from "./work-batch.ts";

const closeMs = 2_000;
/** A worker is notified of new jobs by PostgreSQL, and of jobs that fall due by `startNotifyingDue`. */
const ownPollSeconds = 60;

export type JobsOptions<D> = {
	/** The name of the service in pg_stat_activity. */
	service: string;
	/** The database URL with the role of the service. */
	url: string;
	db: Database;
	jobs: readonly AnyJob<D>[];
	dependencies: D;
	now: () => Date;
	onError: (error: unknown, about: string) => void;
	onAttempt?: (outcome: Outcome) => void;
	/** Creates the spans of attempts. */
	tracer?: Tracer | undefined;
	/** For tests: jobs run only by `runDue` and `run`. */
	isByHand?: boolean;
	timings?: Partial<Timings>;
};

/** The running jobs of a service. */
export type RunningJobs = {
	/**
	 * Runs every due job, including the schedules of new slots, until no job is due. Returns the number of
	 * attempts.
	 */
	runDue(): Promise<number>;
	/** Runs a schedule or a recovery scan now, in this process. Throws its error. */
	run(name: string): Promise<void>;
	count(): Promise<QueueCount[]>;
	/** Starts no more jobs, waits up to 7 s for running ones, and returns the rest to their queues. */
	stop(): Promise<void>;
};

/**
 * Creates the declared queues and starts their workers. Throws an Error if the tables are missing or belong
 * to another pg-boss version, if two jobs have the same name, or if the job of a recovery scan is not
 * declared.
 */
export async function startJobs<D>(options: JobsOptions<D>): Promise<RunningJobs> {
	const {
		service,
		url,
		db,
		jobs,
		dependencies,
		now,
		onError,
		onAttempt = () => {},
		isByHand = false,
	} = options;
	const timings = { ...standardTimings, ...options.timings };
	if (jobs.length === 0) return noJobs;
	requireSound(jobs);
	const boss = openBoss({ url, name: service, timings, isByHand });
	const cut = new AbortController();
	let isStopping = false;
	boss.on("error", (error) => isStopping || onError(error, "jobs"));
	boss.on("warning", ({ message }) => onError(new Error(message), "jobs"));
	const worker: Worker<D> = {
		boss,
		db,
		now,
		dependencies,
		running: new Map(),
		cut: cut.signal,
		tracer: options.tracer,
		isStopping: () => isStopping,
		onError,
		onAttempt,
	};
	try {
		await boss.start();
		await makeQueues({ boss, db, jobs, timings });
	} catch (error) {
		await boss.stop({ graceful: false });
		throw error;
	}
	const schedules = startSchedules({ boss, db, jobs, isByHand, onError });
	const working = isByHand ? undefined : await beginAllWork(worker, jobs, timings);

	let stopped: Promise<void> | undefined;
	const stop = async () => {
		isStopping = true;
		const idle = Promise.all([schedules.stop(), working?.stop()]);
		if (!(await endsWithin(idle, timings.drainMs))) {
			for (const [queue, running] of worker.running)
				await returnToQueue(db, { queue, attempts: [...running] }).catch((error) =>
					onError(error, `job ${queue}`),
				);
			cut.abort(new Error("the process stops"));
		}
		// Without a database, closing takes long, and there is nothing left to save.
		const closed = boss.stop({ graceful: false }).catch((error) => onError(error, "jobs"));
		await endsWithin(closed, closeMs);
	};
	return {
		runDue: () => schedules.sendDue().then(() => workDue(worker, jobs)),
		run: (name) => runNow(worker, jobs, name),
		count: () => countQueues(db),
		stop: () => {
			stopped ??= stop();
			return stopped;
		},
	};
}

/** For services without jobs: opens no connection. */
const noJobs: RunningJobs = {
	runDue: async () => 0,
	run: async (name) => {
		throw new Error(`no schedule or recovery scan is named "${name}"`);
	},
	count: async () => [],
	stop: async () => {},
};

function requireSound(jobs: readonly AnyJob<never>[]): void {
	const names = jobs.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined) throw new Error(`two jobs are named "${twice}"`);
	for (const job of jobs)
		if (job.kind === "recovery scan" && !names.includes(job.job.name))
			throw new Error(`the job of ${job.name} is not declared in the service`);
}

type Queues = { boss: PgBoss; db: Database; jobs: readonly AnyJob<never>[]; timings: Timings };

/** Creates the queues that are missing, and updates those whose options have changed. */
async function makeQueues({ boss, db, jobs, timings }: Queues): Promise<void> {
	const made = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
	const own = jobs.map((job) => ({
		name: job.name,
		policy: job.policy,
		options: { ...queueOptions(job, timings), deadLetter: deadLettersOf(job) },
	}));
	const dead = jobs.map((job) => ({
		name: deadLettersOf(job),
		policy: "standard",
		options: deadLetterOptions,
	}));
	// A queue refers to the queue of its dead letters.
	for (const queues of [dead, own]) {
		const missing = queues.filter(({ name }) => !made.has(name));
		if (missing.length > 0) await createQueues(db, missing);
	}
	for (const { name, policy, options } of [...dead, ...own]) {
		const queue = made.get(name);
		if (queue === undefined) continue;
		if (queue.policy !== policy)
			throw new Error(`the queue of ${name} was created for another kind of job: choose another name`);
		if (!hasOptions(queue, options)) await boss.updateQueue(name, options);
	}
}

/** Starts a worker for each queue, and what notifies it of due jobs. `stop` waits for running jobs. */
async function beginAllWork<D>(worker: Worker<D>, jobs: readonly AnyJob<D>[], timings: Timings) {
	const { boss, db, onError } = worker;
	const workers = new Map<string, string>();
	for (const job of jobs) workers.set(job.name, await beginWork(worker, job, timings));
	const notifying = startNotifyingDue({ boss, db, workers, pollSeconds: timings.pollSeconds, onError });
	return {
		stop: () =>
			Promise.all([notifying.stop(), ...jobs.map(({ name }) => boss.offWork(name, { wait: true }))]),
	};
}

/** Starts the worker of a job's queue and returns its id. */
function beginWork<D>(worker: Worker<D>, job: AnyJob<D>, { pollSeconds }: Timings): Promise<string> {
	const options = {
		batchSize: batchMaxOf(job),
		burstWhenBatchFull: true,
		pollingIntervalSeconds: Math.min(2, pollSeconds),
		notifyPollingIntervalSeconds: ownPollSeconds,
		perJobResults: true,
	} as const;
	return worker.boss.work<Kept, unknown, typeof options>(job.name, options, (batch) =>
		workBatch(worker, job, batch),
	);
}

/** Whether a queue has all these options. */
const hasOptions = (queue: object, options: object): boolean =>
	Object.entries(options).every(([name, value]) => Object.is(Reflect.get(queue, name), value));

/** Whether the work completes within the time limit. A failure counts as not completed. */
async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), ms);
	});
	try {
		return await Promise.race([work.then(() => true), late]);
	} finally {
		clearTimeout(timer);
	}
}
