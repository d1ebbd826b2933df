import type { Database } from "@lango/postgres";
import { endSpan, withRequestContext } from "@lango/tracing";
import type { Tracer } from "@opentelemetry/api";
import type { Job as BossJob, JobResult, PgBoss } from "pg-boss";
import { asBossDb } from "./boss.ts";
import type { AnyJob, JobContext, RecoveryScan } from "./job.ts";
import { type Attempt, grantRetry, returnToQueue } from "./jobs.store.ts";
import { runRecoveryScan } from "./recovery-scan.ts";
import { type Cause, contextOfAttempt } from "./trace-jobs.ts";

/** The outcome of one attempt. */
export type Outcome = {
	name: string;
	isDone: boolean;
	seconds: number;
	/** True for jobs, false for schedules and recovery scans. */
	isEnqueued: boolean;
};

/** What the jobs of one process share. */
export type Worker<D> = {
	boss: PgBoss;
	db: Database;
	now: () => Date;
	dependencies: D;
	/** The running attempts by queue. */
	running: Map<string, Set<Attempt>>;
	/** Aborts when the stopping process no longer waits for running jobs. */
	cut: AbortSignal;
	/** Creates the spans of attempts. */
	tracer: Tracer | undefined;
	isStopping: () => boolean;
	onError: (error: unknown, about: string) => void;
	onAttempt: (outcome: Outcome) => void;
};

/** The stored data of a job. Empty for a schedule. */
export type Kept = Cause & { id?: string; tenantId?: string };

type Fetched = BossJob<Kept>;

const reasonMax = 500;

/**
 * Runs the jobs of a batch, `atOnce` in parallel. When the process stops, the remaining jobs return to the
 * queue.
 */
export async function workBatch<D>(
	worker: Worker<D>,
	job: AnyJob<D>,
	batch: readonly Fetched[],
): Promise<JobResult[]> {
	const waiting = [...batch];
	const results: JobResult[] = [];
	const lane = async () => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
			if (worker.isStopping()) {
				waiting.unshift(next);
				return;
			}
			results.push(await attemptJob(worker, job, next));
		}
	};
	await Promise.all(Array.from({ length: Math.min(job.atOnce, batch.length) }, lane));
	if (waiting.length > 0)
		// If this fails too, the jobs are retried when their heartbeat expires.
		await returnToQueue(worker.db, { queue: job.name, attempts: waiting }).catch((error) =>
			worker.onError(error, `job ${job.name}`),
		);
	return results;
}

/** Runs an attempt in the request context of the request that enqueued the job. */
function attemptJob<D>(worker: Worker<D>, job: AnyJob<D>, fetched: Fetched): Promise<JobResult> {
	const context = contextOfAttempt(fetched, worker.tracer);
	return withRequestContext(context, async () => {
		const result = await runAttempt(worker, job, fetched);
		endSpan(context.span, result.failure);
		return result.result;
	});
}

type AttemptResult = { result: JobResult; failure: unknown };

async function runAttempt<D>(worker: Worker<D>, job: AnyJob<D>, fetched: Fetched): Promise<AttemptResult> {
	const began = performance.now();
	const attempt = { id: fetched.id, retryCount: fetched.retryCount };
	const running = worker.running.get(job.name) ?? new Set();
	worker.running.set(job.name, running.add(attempt));
	const report = (isDone: boolean) => {
		const seconds = (performance.now() - began) / 1_000;
		worker.onAttempt({ name: job.name, isDone, seconds, isEnqueued: job.kind === "job" });
	};
	try {
		const given = AbortSignal.any([worker.cut, fetched.signal]);
		await withinTime(given, job, (signal) => work(worker, job, { ...fetched, signal }));
		report(true);
		return { result: { id: fetched.id, status: "completed" }, failure: undefined };
	} catch (error) {
		worker.onError(error, `job ${job.name} ${fetched.data?.id ?? ""}`.trimEnd());
		report(false);
		if (job.kind === "job" && job.postpones?.(error) === true)
			await grantRetry(worker.db, { queue: job.name, attempt }).catch((failure) =>
				worker.onError(failure, `job ${job.name}`),
			);
		const message = (error instanceof Error ? error.message : String(error)).slice(0, reasonMax);
		return { result: { id: fetched.id, status: "failed", output: { message } }, failure: error };
	} finally {
		running.delete(attempt);
	}
}

/**
 * Runs `run` until the time limit of the job is reached or `given` aborts. It does not wait for `run` after
 * that.
 */
async function withinTime(
	given: AbortSignal,
	{ name, timeoutSeconds }: AnyJob<never>,
	run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
	const over = new AbortController();
	const timer = setTimeout(
		() => over.abort(new Error(`${name} took longer than ${timeoutSeconds} s`)),
		timeoutSeconds * 1_000,
	);
	const signal = AbortSignal.any([over.signal, given]);
	const aborted = Promise.withResolvers<never>();
	signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
	try {
		signal.throwIfAborted();
		await Promise.race([run(signal), aborted.promise]);
	} finally {
		clearTimeout(timer);
	}
}

async function work<D>(worker: Worker<D>, job: AnyJob<D>, fetched: Fetched): Promise<unknown> {
	const { now, dependencies } = worker;
	const { signal } = fetched;
	if (job.kind === "schedule") return job.work(dependencies, { now, signal });
	if (job.kind === "recovery scan")
		return runRecoveryScan(worker.db, job as RecoveryScan<D>, { dependencies, now, signal });
	return job.work(dependencies, contextOfJob(worker, fetched));
}

function contextOfJob<D>({ boss, now }: Worker<D>, fetched: Fetched): JobContext {
	const { id, name, data, retryCount, signal } = fetched;
	if (typeof data?.id !== "string") throw new Error(`a job of ${name} has no id`);
	return {
		id: data.id,
		tenantId: data.tenantId,
		attempt: retryCount + 1,
		now,
		signal,
		done: async (tx) => {
			const result = await boss.complete(name, { id, retryCount }, null, { db: asBossDb(tx) });
			// pg-boss returns the number of rows, but its types do not declare it.
			const { affected } = result as { affected?: number };
			if (affected !== 1) throw new Error(`the job of ${name} was taken over by another process`);
		},
	};
}
