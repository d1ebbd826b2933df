import type { Domain } from "@lango/chassis";
import { EntitlementsUnavailable } from "@lango/entitlements";
import { defineJob, defineRecoveryScan } from "@lango/jobs";
import { listOverdueTenants } from "./report.store.ts";
import { reportFleetOf } from "./report-fleet.ts";

type Parts = Pick<Domain, "db" | "usage" | "now">;

/** Tells the subscription service how a tenant's fleet grew or shrank; one waits for each tenant. */
export const reportFleet = defineJob<Parts>({
	name: "usage.report",
	timeoutSeconds: 60,
	retryDelayMaxSeconds: 600,
	work: (parts, { id: tenantId, signal }) => reportFleetOf(parts, { tenantId, signal }),
	// What is older than a week is refused for good, so this ends.
	postpones: (error) => error instanceof EntitlementsUnavailable,
});

const overdueMs = 15 * 60_000;

/** Finds changes whose report was lost, and asks for it again. */
export const sweepReports = defineRecoveryScan<Parts>({
	job: reportFleet,
	everySeconds: 300,
	find: async ({ db }, { now, after, limit }) => {
		const before = new Date(now.getTime() - overdueMs);
		const tenants = await listOverdueTenants(db, { before, after, limit });
		return tenants.map((id) => ({ id, tenantId: id }));
	},
});
