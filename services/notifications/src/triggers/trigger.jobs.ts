import { Failure } from "@lango/chassis";
import { EntitlementsUnavailable } from "@lango/entitlements";
import { defineJob, defineRecoveryScan, defineSchedule, tenantIdOf } from "@lango/jobs";
import { TenantUnavailable } from "@lango/tenancy";
import type { Notifications } from "../parts.ts";
import { RolePeopleUnavailable } from "../recipients/role-people.ts";
import { listOverdueRuns, purgeRuns } from "./run.store.ts";
import { runTrigger } from "./run-trigger.ts";

const isLimited = (error: unknown) => error instanceof Failure && error.code === "channel_limited";

/**
 * Makes the messages of a run. It waits while another service is unavailable, or the channel's limit is
 * reached.
 */
export const runTriggers = defineJob<Notifications>({
	name: "triggers.run",
	retryDelaySeconds: 2,
	retryDelayMaxSeconds: 300,
	timeoutSeconds: 120,
	work: (domain, job) => runTrigger(domain, { id: job.id, tenantId: tenantIdOf(job) }),
	postpones: (error) =>
		error instanceof TenantUnavailable ||
		error instanceof EntitlementsUnavailable ||
		error instanceof RolePeopleUnavailable ||
		isLimited(error),
});

const overdueMs = 15 * 60_000;

/** Finds runs whose job was lost, and enqueues it again. */
export const recoverRuns = defineRecoveryScan<Notifications>({
	job: runTriggers,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listOverdueRuns(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});

const dayMs = 24 * 3_600_000;
const limit = 1_000;

/**
 * Every hour: ends runs of events that are stored for a week, because they may hold a password, and removes
 * runs of 90 days.
 */
export const purgeOldRuns = defineSchedule<Notifications>({
	name: "triggers.purge",
	everySeconds: 3_600,
	timeoutSeconds: 300,
	work: async ({ db }, { now, signal }) => {
		const at = now();
		const [waitingSince, before] = [7, 90].map((days) => new Date(at.getTime() - days * dayMs)) as [
			Date,
			Date,
		];
		while (!signal.aborted && (await purgeRuns(db, { waitingSince, before, limit, now: at })) >= limit);
	},
});
