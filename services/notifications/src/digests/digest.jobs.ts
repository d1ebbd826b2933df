import { Failure } from "@lango/chassis";
import { EntitlementsUnavailable } from "@lango/entitlements";
import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { TenantUnavailable } from "@lango/tenancy";
import type { Notifications } from "../parts.ts";
import { digestJob } from "./add-to-digest.ts";
import { closeDigest } from "./close-digest.ts";
import { listOverdueWindows } from "./digest.store.ts";

const isLimited = (error: unknown) => error instanceof Failure && error.code === "channel_limited";

/** Sends a digest. It waits while another service is unavailable, or the channel's limit is reached. */
export const closeDigests = defineJob<Notifications>({
	name: digestJob.name,
	retryDelaySeconds: 2,
	retryDelayMaxSeconds: 300,
	work: (domain, job) => closeDigest(domain, { id: job.id, tenantId: tenantIdOf(job) }),
	postpones: (error) =>
		error instanceof TenantUnavailable || error instanceof EntitlementsUnavailable || isLimited(error),
});

const overdueMs = 60_000;

/** Finds digests whose job was lost or came too early, and enqueues it again. */
export const recoverDigests = defineRecoveryScan<Notifications>({
	job: closeDigests,
	everySeconds: 60,
	find: ({ db }, { now, after, limit }) =>
		listOverdueWindows(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});
