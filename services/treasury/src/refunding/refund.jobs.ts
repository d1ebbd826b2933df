import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { listDueRefunds } from "../refunds/refund.store.ts";
import type { Treasury } from "../treasury.ts";
import { findOutRefund } from "./find-out-refund.ts";
import { submitRefund } from "./submit-refund.ts";

/** Sends a refund to its gateway. */
export const submitRefunds = defineJob<Treasury>({
	name: "refunds.submit",
	timeoutSeconds: 60,
	work: (domain, job) => submitRefund(domain, { tenantId: tenantIdOf(job), refundId: job.id }),
});

/** Asks the gateway about a refund whose end is not known. */
export const findOutRefunds = defineJob<Treasury>({
	name: "refunds.query",
	timeoutSeconds: 60,
	work: (domain, job) => findOutRefund(domain, { tenantId: tenantIdOf(job), refundId: job.id }),
});

const overdueMs = 60_000;

/** Finds refunds whose job was lost. */
export const recoverRefunds = defineRecoveryScan<Treasury>({
	job: findOutRefunds,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listDueRefunds(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});
