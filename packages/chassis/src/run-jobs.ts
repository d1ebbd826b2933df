import { type RunningJobs, startJobs } from "@lango/jobs";
import { ValueType } from "@opentelemetry/api";
import type { Context, ServiceDefinition } from "./service.ts";

type Given = { context: Context; dependencies: unknown; isByHand: boolean };

/** Starts what a service declares under `jobs`, logs what fails, and measures tries, what is due, and what is dead. */
export async function runJobs(
	{ name, jobs = [] }: ServiceDefinition,
	{ context, dependencies, isByHand }: Given,
): Promise<RunningJobs> {
	const { settings, db, now, log, meter } = context;
	const tries = meter.createHistogram("jobs.duration", {
		unit: "s",
		description: "How long one try of a job took, and whether it was the last",
		valueType: ValueType.DOUBLE,
	});
	const running = await startJobs({
		service: name,
		url: String(settings["databaseUrl"]),
		db,
		jobs,
		dependencies,
		now,
		isByHand,
		onError: (err, about) => log.error({ err, about }, "job"),
		onTry: ({ name: job, isDone, seconds }) =>
			tries.record(seconds, { job, outcome: isDone ? "done" : "failed" }),
	});
	if (jobs.length > 0) measureQueues(context, running);
	return running;
}

/** What is due and what is dead, as pg-boss counted some seconds ago; a scrape costs one small statement. */
function measureQueues({ meter, log }: Context, { count }: RunningJobs): void {
	const options = { valueType: ValueType.INT };
	const ready = meter.createObservableGauge("jobs.ready", {
		description: "Jobs that may be begun now",
		...options,
	});
	const dead = meter.createObservableGauge("jobs.dead", {
		description: "Jobs whose last try failed: see node tools/jobs.ts",
		...options,
	});
	meter.addBatchObservableCallback(
		async (result) => {
			const queues = await count().catch((err) => {
				log.warn({ err }, "jobs not counted");
				return [];
			});
			for (const queue of queues) {
				result.observe(ready, queue.ready, { job: queue.name });
				result.observe(dead, queue.dead, { job: queue.name });
			}
		},
		[ready, dead],
	);
}
