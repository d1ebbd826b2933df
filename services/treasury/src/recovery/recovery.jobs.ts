import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { listDueAttempts } from "../payments/attempt.store.ts";
import type { Treasury } from "../treasury.ts";
import { findOutAttempt } from "./find-out.ts";
import { followHint } from "./follow-hint.ts";

/** Asks the gateway about an attempt whose end is not known. */
export const findOutAttempts = defineJob<Treasury>({
	name: "attempts.query",
	timeoutSeconds: 40,
	work: (domain, job) => findOutAttempt(domain, { tenantId: tenantIdOf(job), attemptId: job.id }),
});

/** About a day, from a minute to six hours apart. */
const hintRetries = 10;

/** Asks the gateway about a prompt because of a callback whose sender is not trusted. */
export const checkHints = defineJob<Treasury>({
	name: "attempts.ask",
	timeoutSeconds: 40,
	retries: hintRetries,
	retryDelaySeconds: 60,
	retryDelayMaxSeconds: 21_600,
	work: (domain, job) =>
		followHint(domain, {
			...{ tenantId: tenantIdOf(job), attemptId: job.id },
			isLastTry: job.attempt > hintRetries,
		}),
});

const overdueMs = 60_000;

/** Finds attempts whose job was lost. */
export const recoverAttempts = defineRecoveryScan<Treasury>({
	job: findOutAttempts,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listDueAttempts(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});
