import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { listOverdueDisputes } from "../../disputes/dispute.store.ts";
import type { Treasury } from "../../treasury.ts";
import { checkDispute } from "./check-dispute.ts";

/** Asks about a dispute that is overdue, and raises an exception if it is not decided. */
export const checkDisputes = defineJob<Treasury>({
	name: "disputes.check",
	work: (domain, job) => checkDispute(domain, tenantIdOf(job), job.id),
});

/** Finds disputes that are overdue. */
export const findOverdueDisputes = defineRecoveryScan<Treasury>({
	job: checkDisputes,
	everySeconds: 3_600,
	find: ({ db }, { now, after, limit }) => listOverdueDisputes(db, { before: now, after, limit }),
});
