import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import { listOverdueDisputes } from "../../disputes/dispute.store.ts";
import type { Treasury } from "../../treasury.ts";
import { checkDispute } from "./check-dispute.ts";

/** Notes a dispute that was not answered in time. */
export const checkDisputes = defineJob<Treasury>({
	name: "disputes.check",
	work: ({ db, now }, job) => inTenant(db, tenantIdOf(job), (tx) => checkDispute(tx, job.id, now())),
});

/** Finds disputes that are overdue. */
export const findOverdueDisputes = defineRecoveryScan<Treasury>({
	job: checkDisputes,
	everySeconds: 3_600,
	find: ({ db }, { now, after, limit }) => listOverdueDisputes(db, { before: now, after, limit }),
});
