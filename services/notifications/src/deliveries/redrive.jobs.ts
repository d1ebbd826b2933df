import { EntitlementsUnavailable } from "@lango/entitlements";
import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import type { Notifications } from "../parts.ts";
import { listOverdueRedrives } from "./redrive.store.ts";
import { runRedrive } from "./run-redrive.ts";
import { redriveJob } from "./start-redrive.ts";

/** Sends the next deliveries of a redrive again. It waits while the subscription service is unavailable. */
export const redriveDeliveries = defineJob<Notifications>({
	name: redriveJob.name,
	retryDelaySeconds: 2,
	retryDelayMaxSeconds: 300,
	work: (domain, job) => runRedrive(domain, { id: job.id, tenantId: tenantIdOf(job), signal: job.signal }),
	postpones: (error) => error instanceof EntitlementsUnavailable,
});

const overdueMs = 15 * 60_000;

/** Finds redrives whose job was lost, and enqueues it again. */
export const recoverRedrives = defineRecoveryScan<Notifications>({
	job: redriveDeliveries,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listOverdueRedrives(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});
