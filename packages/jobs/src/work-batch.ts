import type { Database } from "@lango/postgres";
import { endSpan, withRequestContext } from "@lango/tracing";
import type { Tracer } from "@opentelemetry/api";
import type { Job as BossJob, JobResult, PgBoss } from "pg-boss";
import { asBossDb } from "./boss.ts";
import type { AnyJob, JobTurn, Sweep } from "./job.ts";
import { type Attempt, forgiveTry, giveBack } from "./jobs.store.ts";
import { sweepLost } from "./sweep.ts";
import { type Cause, contextOfAttempt } from "./trace-jobs.ts";

/** How one try of a job ended. */
export type Outcome = {
	name: string;
	isDone: boolean;
	seconds: number;
	/** Somebody asked for it; false for what comes again by itself. */
	isAsked: boolean;
};

/** What the jobs of one process share. */
export type Worker<D> = {
	boss: PgBoss;
	db: Database;
	now: () => Date;
	dependencies: D;
	/** The tries under way, by queue. */
	held: Map<string, Set<Attempt>>;
	/** Aborts when the process no longer waits for what is under way. */
	cut: AbortSignal;
	/** Makes spans of the tries. */
	tracer: Tracer | undefined;
	isStopping: () => boolean;
	onError: (error: unknown, about: string) => void;
	onTry: (outcome: Outcome) => void;
};

/** What pg-boss keeps of a request; a schedule has none. */
export type Kept = Cause & { id?: string; tenantId?: string };

type Fetched = BossJob<Kept>;

const reasonMax = 500;

/** Works the jobs of a batch, `atOnce` at a time. A process that stops begins no more of them and gives them back. */
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
			results.push(await tryJob(worker, job, next));
		}
	};
	await Promise.all(Array.from({ length: Math.min(job.atOnce, batch.length) }, lane));
	if (waiting.length > 0)
		// Where not even this succeeds, the heartbeat of the jobs ends with the process.
		await giveBack(worker.db, { queue: job.name, attempts: waiting }).catch((error) =>
			worker.onError(error, `job ${job.name}`),
		);
	return results;
}

/** What is said of a try, by whomever, names what asked for the job. */
function tryJob<D>(worker: Worker<D>, job: AnyJob<D>, fetched: Fetched): Promise<JobResult> {
	const context = contextOfAttempt(fetched, worker.tracer);
	return withRequestContext(context, async () => {
		const result = await tryOnTrail(worker, job, fetched);
		endSpan(context.span, result.failure);
		return result.answer;
	});
}

type Tried = { answer: JobResult; failure: unknown };

async function tryOnTrail<D>(worker: Worker<D>, job: AnyJob<D>, fetched: Fetched): Promise<Tried> {
	const began = performance.now();
	const attempt = { id: fetched.id, retryCount: fetched.retryCount };
	const held = worker.held.get(job.name) ?? new Set();
	worker.held.set(job.name, held.add(attempt));
	const tell = (isDone: boolean) => {
		const seconds = (performance.now() - began) / 1_000;
		worker.onTry({ name: job.name, isDone, seconds, isAsked: job.kind === "job" });
	};
	try {
		const given = AbortSignal.any([worker.cut, fetched.signal]);
		await withinTime(given, job, (signal) => work(worker, job, { ...fetched, signal }));
		tell(true);
		return { answer: { id: fetched.id, status: "completed" }, failure: undefined };
	} catch (error) {
		worker.onError(error, `job ${job.name} ${fetched.data?.id ?? ""}`.trimEnd());
		tell(false);
		if (job.kind === "job" && job.postpones?.(error) === true)
			await forgiveTry(worker.db, { queue: job.name, attempt }).catch((failure) =>
				worker.onError(failure, `job ${job.name}`),
			);
		const message = (error instanceof Error ? error.message : String(error)).slice(0, reasonMax);
		return { answer: { id: fetched.id, status: "failed", output: { message } }, failure: error };
	} finally {
		held.delete(attempt);
	}
}

/** Runs `run` until the job's time is over or `given` aborts; whatever it does after that is not waited for. */
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
	if (job.kind === "sweep") return sweepLost(worker.db, job as Sweep<D>, { dependencies, now, signal });
	return job.work(dependencies, turnOf(worker, fetched));
}

function turnOf<D>({ boss, now }: Worker<D>, fetched: Fetched): JobTurn {
	const { id, name, data, retryCount, signal } = fetched;
	if (typeof data?.id !== "string") throw new Error(`a job of ${name} holds no id`);
	return {
		id: data.id,
		tenantId: data.tenantId,
		attempt: retryCount + 1,
		now,
		signal,
		done: async (tx) => {
			const answer = await boss.complete(name, { id, retryCount }, null, { db: asBossDb(tx) });
			// pg-boss answers with the number, its types do not say so.
			const { affected } = answer as { affected?: number };
			if (affected !== 1)
				throw new Error(`a job of ${name} is no longer this process's: it began again elsewhere`);
		},
	};
}
