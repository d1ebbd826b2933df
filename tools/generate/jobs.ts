import type { ServiceDefinition } from "@lango/chassis";
import { notice, toPage, toTable } from "./table.ts";

/** docs/generated/jobs.md: the jobs and schedules of each service with their limits. */
export function describeJobs(services: readonly ServiceDefinition[]): string {
	const rows = services.flatMap(({ name, jobs = [] }) =>
		jobs.map((job) => [
			name,
			`\`${job.name}\``,
			job.kind === "job" ? "enqueued by id" : `every ${job.everySeconds} s`,
			`${job.timeoutSeconds} s`,
			String(job.retries),
			`${job.retryDelaySeconds} s to ${job.retryDelayMaxSeconds} s`,
			String(job.kind === "job" ? job.atOnce : 1),
		]),
	);
	return toPage([
		notice,
		"# Jobs",
		"A job that fails its last attempt becomes a dead letter: `node tools/jobs.ts <service> list`.",
		toTable(["service", "job", "when", "time limit", "retries", "pauses between", "at once"], rows),
	]);
}
