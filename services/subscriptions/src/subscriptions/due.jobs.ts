import { defineJob, defineRecoveryScan } from "@lango/jobs";
import type { ChangeParts } from "../record/change-subscription.ts";
import { settlementJob } from "../record/schedule-settlement.ts";
import { listOverdueTenants } from "./due.store.ts";
import { settleTenant } from "./settle-tenant.ts";

/** What has fallen due of a tenant happens and is told of, its overage is billed: asked for by `askToSettle`. */
export const settleTenants = defineJob<ChangeParts>({
	...settlementJob,
	timeoutSeconds: 30,
	atOnce: 4,
	work: (dependencies, { id: tenantId }) => settleTenant(dependencies, tenantId),
});

const overdueMs = 30_000;

/** Finds tenants whose job was lost; those seeded without one; and overage that was told of only after its period was over. */
export const recoverSettlements = defineRecoveryScan<ChangeParts>({
	job: settleTenants,
	everySeconds: 60,
	find: async ({ db, clock: { hasTestClocks } }, { now, after, limit }) => {
		const before = new Date(now.getTime() - overdueMs);
		const tenants = await listOverdueTenants(db, { before, hasTestClocks, after, limit });
		return tenants.map((id) => ({ id, tenantId: id }));
	},
});
