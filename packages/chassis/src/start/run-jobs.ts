import { type RunningJobs, startJobs } from "@lango/jobs";
import type { Tracer } from "@opentelemetry/api";
import { histogram, observe } from "../observe/instruments.ts";
import type { Context, ServiceDefinition } from "../service.ts";

type Given = {
	context: Context;
	dependencies: unknown;
	tracer: Tracer | undefined;
	isByHand: boolean;
};

/** Starts the jobs of a service, logs failures, and measures attempts, ready jobs and dead letters. */
export async function runJobs(
	{ name, jobs = [] }: ServiceDefinition,
	{ context, dependencies, tracer, isByHand }: Given,
): Promise<RunningJobs> {
	const { settings, db, now, log, meter } = context;
	const tries = histogram(meter, "lango.job.duration");
	const running = await startJobs({
		service: name,
		url: String(settings["directDatabaseUrl"] ?? settings["databaseUrl"]),
		db,
		jobs,
		dependencies,
		now,
		tracer,
		isByHand,
		onError: (err, about) => log.error({ err, about }, "job"),
		onAttempt: ({ name: job, isDone, seconds, isEnqueued }) => {
			const outcome = isDone ? "done" : "failed";
			tries.record(seconds, { "lango.job.name": job, "lango.job.outcome": outcome });
			// Schedules would fill the log. `onError` logs failures.
			log[isEnqueued ? "info" : "debug"]({ job, outcome, ms: Math.round(seconds * 1_000) }, "job");
		},
	});
	if (jobs.length > 0) measureQueues(context, running);
	return running;
}

/** What is due and what is dead, as pg-boss counted some seconds ago; a scrape costs one small statement. */
function measureQueues({ meter, log }: Context, { count }: RunningJobs): void {
	const queues = async (read: "ready" | "dead") => {
		const counted = await count().catch((err) => {
			log.warn({ err }, "jobs could not be counted, will retry");
			return [];
		});
		return counted.map((queue) => ({ value: queue[read], attributes: { "lango.job.name": queue.name } }));
	};
	observe(meter, "lango.jobs.ready", () => queues("ready"));
	observe(meter, "lango.jobs.dead_letters", () => queues("dead"));
}
