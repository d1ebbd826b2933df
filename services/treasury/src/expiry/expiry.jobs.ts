import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import type { Treasury } from "../treasury.ts";
import { expireIntent } from "./expire-intent.ts";
import { listOverdueIntents } from "./overdue-intent.store.ts";

/** Ends intents whose time is over. */
export const expireIntents = defineJob<Treasury>({
	name: "intents.expire",
	work: (domain, job) => expireIntent(domain, { tenantId: tenantIdOf(job), intentId: job.id }),
});

/**
 * Finds them within a minute. A job for each at its time would be removed before: a waiting job is kept for
 * 30 days, and an intent may be open for longer.
 */
export const findOverdueIntents = defineRecoveryScan<Treasury>({
	job: expireIntents,
	everySeconds: 60,
	find: ({ db }, { now, after, limit }) => listOverdueIntents(db, { now, after, limit }),
});
