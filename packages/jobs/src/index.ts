export type { Timings } from "./boss.ts";
export { constructionSql } from "./construction.ts";
export { listDeadJobs, type Redriven, redriveDeadJob } from "./dead-jobs.ts";
export { type AskedJob, enqueueJob, enqueueJobs, type JobRequest } from "./enqueue-job.ts";
export {
	type AnyJob,
	defineJob,
	defineRecoveryScan,
	defineSchedule,
	type Job,
	type JobContext,
	type OverdueRow,
	type RecoveryScan,
	type RunContext,
	type ScanPage,
	type Schedule,
	tenantIdOf,
} from "./job.ts";
export { jobMigrations } from "./job-migrations.ts";
export type { DeadJob, QueueCount } from "./jobs.store.ts";
export { type JobsOptions, type RunningJobs, startJobs } from "./start-jobs.ts";
export type { Outcome } from "./work-batch.ts";
