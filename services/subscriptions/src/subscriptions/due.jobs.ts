import { defineJob, defineRecoveryScan } from "@lango/jobs";
import type { ChangeParts } from "../record/change-subscription.ts";
import { settlementJob } from "../record/schedule-settlement.ts";
import { listOverdueTenants } from "./due.store.ts";
import { settleTenant } from "./settle-tenant.ts";

/**
 * Settles one tenant: applies and announces its due steps, and bills its overage. Scheduled by
 * `scheduleSettlement`.
 */
export const settleTenants = defineJob<ChangeParts>({
	...settlementJob,
	timeoutSeconds: 30,
	atOnce: 4,
	work: (dependencies, { id: tenantId }) => settleTenant(dependencies, tenantId),
});

const overdueMs = 30_000;

/**
 * Finds tenants whose job was lost, seeded tenants without a job, and overage that was reported after the end
 * of its period.
 */
export const recoverSettlements = defineRecoveryScan<ChangeParts>({
	job: settleTenants,
	everySeconds: 60,
	find: async ({ db, clock: { hasTestClocks } }, { now, after, limit }) => {
		const before = new Date(now.getTime() - overdueMs);
		const tenants = await listOverdueTenants(db, { before, hasTestClocks, after, limit });
		return tenants.map((id) => ({ id, tenantId: id }));
	},
});
