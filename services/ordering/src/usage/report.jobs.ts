import type { Domain } from "@lango/chassis";
import { EntitlementsUnavailable } from "@lango/entitlements";
import { defineJob, defineRecoveryScan } from "@lango/jobs";
import { listOverdueTenants } from "./report.store.ts";
import { reportUsageOf } from "./report-usage.ts";

type Parts = Pick<Domain, "db" | "usage" | "now">;

/**
 * Reports a tenant's orders to the subscription service. At most one job waits per tenant, so orders in quick
 * succession are reported together.
 */
export const reportOrders = defineJob<Parts>({
	name: "usage.report",
	timeoutSeconds: 60,
	retryDelayMaxSeconds: 600,
	work: (parts, { id: tenantId, signal }) => reportUsageOf(parts, { tenantId, signal }),
	// The subscription service rejects reports older than a week permanently, so postponing ends.
	postpones: (error) => error instanceof EntitlementsUnavailable,
});

const overdueMs = 15 * 60_000;

/** Finds tenants with old unreported orders, whose job was lost, and enqueues it again. */
export const recoverReports = defineRecoveryScan<Parts>({
	job: reportOrders,
	everySeconds: 300,
	find: async ({ db }, { now, after, limit }) => {
		const before = new Date(now.getTime() - overdueMs);
		const tenants = await listOverdueTenants(db, { before, after, limit });
		return tenants.map((id) => ({ id, tenantId: id }));
	},
});
