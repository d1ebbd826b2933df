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
import { countQueues, giveBack, type QueueCount } from "./jobs.store.ts";
import { startSchedules } from "./schedules.ts";
import { type Kept, type Outcome, type Worker, workBatch } from "./work-batch.ts";

const closeMs = 2_000;

export type JobsOptions<D> = {
	/** The service, as shown in pg_stat_activity. */
	service: string;
	/** The database, as the role the service works with. */
	url: string;
	db: Database;
	jobs: readonly AnyJob<D>[];
	dependencies: D;
	now: () => Date;
	onError: (error: unknown, about: string) => void;
	onTry?: (outcome: Outcome) => void;
	/** Makes spans of the tries. */
	tracer?: Tracer | undefined;
	/** For tests: nothing is begun by itself, only by `runDue` and `run`. */
	isByHand?: boolean;
	timings?: Partial<Timings>;
};

/** The jobs of a service, while it runs. */
export type RunningJobs = {
	/** Works every job that is due, of schedules those of slots not had yet, until none is left. Returns how many tries it were. */
	runDue(): Promise<number>;
	/** Does a schedule or a sweep now, here, whether it is due or not. Throws what it throws. */
	run(name: string): Promise<void>;
	count(): Promise<QueueCount[]>;
	/** Begins nothing more, waits up to 7 s for what is under way, and gives back what has not ended by then. */
	stop(): Promise<void>;
};

/**
 * Makes the queues that are declared and works them. Throws an Error when the tables are missing or those of another
 * pg-boss, when two jobs have one name, or a sweep's job is not among them.
 */
export async function startJobs<D>(options: JobsOptions<D>): Promise<RunningJobs> {
	const { service, url, db, jobs, dependencies, now, onError, onTry = () => {}, isByHand = false } = options;
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
		held: new Map(),
		cut: cut.signal,
		tracer: options.tracer,
		isStopping: () => isStopping,
		onError,
		onTry,
	};
	try {
		await boss.start();
		for (const job of jobs) await makeQueue(boss, job, timings);
	} catch (error) {
		await boss.stop({ graceful: false });
		throw error;
	}
	const schedules = startSchedules({ boss, jobs, isByHand, onError });
	if (!isByHand) for (const job of jobs) await beginWork(worker, job, timings);

	let stopped: Promise<void> | undefined;
	const stop = async () => {
		isStopping = true;
		const idle = Promise.all([
			schedules.stop(),
			...jobs.map(({ name }) => boss.offWork(name, { wait: true })),
		]);
		if (!(await endsWithin(idle, timings.drainMs))) {
			for (const [queue, held] of worker.held)
				await giveBack(db, { queue, attempts: [...held] }).catch((error) => onError(error, `job ${queue}`));
			cut.abort(new Error("the process stops"));
		}
		// Without a database even this takes long, and there is nothing left to save.
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

/** A service without jobs opens nothing for them. */
const noJobs: RunningJobs = {
	runDue: async () => 0,
	run: async (name) => {
		throw new Error(`there is no schedule or sweep called "${name}"`);
	},
	count: async () => [],
	stop: async () => {},
};

function requireSound(jobs: readonly AnyJob<never>[]): void {
	const names = jobs.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined) throw new Error(`two jobs are called "${twice}"`);
	for (const job of jobs)
		if (job.kind === "sweep" && !names.includes(job.job.name))
			throw new Error(`${job.name} asks for a job that is not declared beside it`);
}

/** Makes a queue and its dead letters where they are missing, and has an old one follow its declaration. */
async function makeQueue(boss: PgBoss, job: AnyJob<never>, timings: Timings): Promise<void> {
	const deadLetter = deadLettersOf(job);
	const options = { ...queueOptions(job, timings), deadLetter };
	await boss.createQueue(deadLetter, deadLetterOptions);
	await boss.updateQueue(deadLetter, deadLetterOptions);
	await boss.createQueue(job.name, { ...options, policy: job.policy });
	const made = await boss.getQueue(job.name);
	if (made?.policy !== job.policy)
		throw new Error(`the queue of ${job.name} was made for another kind of job: give this one another name`);
	await boss.updateQueue(job.name, options);
}

async function beginWork<D>(worker: Worker<D>, job: AnyJob<D>, { pollSeconds }: Timings): Promise<void> {
	const options = {
		batchSize: batchMaxOf(job),
		burstWhenBatchFull: true,
		pollingIntervalSeconds: Math.min(2, pollSeconds),
		notifyPollingIntervalSeconds: pollSeconds,
		perJobResults: true,
	} as const;
	await worker.boss.work<Kept, unknown, typeof options>(job.name, options, (batch) =>
		workBatch(worker, job, batch),
	);
}

/** Whether the work ends in time; if it fails, that is no end either. */
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
