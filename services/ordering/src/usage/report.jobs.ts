import type { Domain } from "@lango/chassis";
import { EntitlementsUnavailable } from "@lango/entitlements";
import { defineJob, defineRecoveryScan } from "@lango/jobs";
import { listOverdueTenants } from "./report.store.ts";
import { reportUsageOf } from "./report-usage.ts";

type Parts = Pick<Domain, "db" | "usage" | "now">;

/**
 * Tells the subscription service of a tenant's orders. One waits for each tenant, whatever is ordered meanwhile, so that
 * orders in quick succession are told of together.
 */
export const reportOrders = defineJob<Parts>({
	name: "usage.report",
	timeoutSeconds: 60,
	retryDelayMaxSeconds: 600,
	work: (parts, { id: tenantId, signal }) => reportUsageOf(parts, { tenantId, signal }),
	// What is older than a week is refused for good, so this ends.
	postpones: (error) => error instanceof EntitlementsUnavailable,
});

const overdueMs = 15 * 60_000;

/** Finds orders whose report was lost, and asks for it again. */
export const sweepReports = defineRecoveryScan<Parts>({
	job: reportOrders,
	everySeconds: 300,
	find: async ({ db }, { now, after, limit }) => {
		const before = new Date(now.getTime() - overdueMs);
		const tenants = await listOverdueTenants(db, { before, after, limit });
		return tenants.map((id) => ({ id, tenantId: id }));
	},
});
