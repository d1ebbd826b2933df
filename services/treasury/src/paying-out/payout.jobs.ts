import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { listDuePayouts, listWaitingPayouts } from "../payouts/all-payouts.store.ts";
import type { Treasury } from "../treasury.ts";
import { expirePayout, waitingSince } from "./expire-payout.ts";
import { findOutPayout } from "./find-out-payout.ts";
import { submitPayout } from "./sending/submit-payout.ts";

/** Sends a payout that is approved. Up to a hundred transfers may be sent one by one. */
export const submitPayouts = defineJob<Treasury>({
	name: "payouts.submit",
	timeoutSeconds: 600,
	work: (domain, job) => submitPayout(domain, tenantIdOf(job), job.id),
});

/** Asks the gateway about a payout whose end is not known. */
export const findOutPayouts = defineJob<Treasury>({
	name: "payouts.query",
	timeoutSeconds: 90,
	work: (domain, job) => findOutPayout(domain, { tenantId: tenantIdOf(job), payoutId: job.id }),
});

/** Asks the gateway about a payout because of a result whose sender is not trusted. */
export const checkPayoutHints = defineJob<Treasury>({
	name: "payouts.ask",
	timeoutSeconds: 40,
	work: (domain, job) => findOutPayout(domain, { tenantId: tenantIdOf(job), payoutId: job.id, isHint: true }),
});

const overdueMs = 60_000;

/** Finds approved payouts whose job was lost. */
export const recoverSubmissions = defineRecoveryScan<Treasury>({
	job: submitPayouts,
	everySeconds: 120,
	find: ({ db }, { now, after, limit }) =>
		listDuePayouts(db, { isApproved: true, before: new Date(now.getTime() - overdueMs), after, limit }),
});

/** Finds payouts that were sent, and whose job was lost. */
export const recoverPayouts = defineRecoveryScan<Treasury>({
	job: findOutPayouts,
	everySeconds: 120,
	find: ({ db }, { now, after, limit }) =>
		listDuePayouts(db, { isApproved: false, before: new Date(now.getTime() - overdueMs), after, limit }),
});

/** Cancels a payout that was not approved in time. */
export const expirePayouts = defineJob<Treasury>({
	name: "payouts.expire",
	work: (domain, job) => expirePayout(domain, tenantIdOf(job), job.id),
});

/** Finds them within an hour. */
export const findUnapproved = defineRecoveryScan<Treasury>({
	job: expirePayouts,
	everySeconds: 3_600,
	find: ({ db }, { now, after, limit }) => listWaitingPayouts(db, { since: waitingSince(now), after, limit }),
});
