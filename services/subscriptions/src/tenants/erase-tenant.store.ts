import { type Database, inTenant } from "@lango/postgres";

/**
 * Deletes everything stored about a tenant except the audit log, which keeps ids, and addresses until the
 * user is erased.
 */
export async function eraseTenant(db: Database, tenantId: string): Promise<void> {
	await inTenant(db, tenantId, async (tx) => {
		await tx.query("delete from subscriptions where tenant_id = $1", [tenantId]);
		await tx.query("delete from tenant_calendars where tenant_id = $1", [tenantId]);
		await tx.query("delete from tenant_suspensions where tenant_id = $1", [tenantId]);
		await tx.query("delete from test_clocks where tenant_id = $1", [tenantId]);
		await tx.query("delete from sandbox_answers where tenant_id = $1", [tenantId]);
		await tx.query("delete from usage_counters where tenant_id = $1", [tenantId]);
		await tx.query("delete from usage_reports where tenant_id = $1", [tenantId]);
		await tx.query("delete from usage_consumptions where tenant_id = $1", [tenantId]);
		await tx.query("delete from overage_lines where tenant_id = $1", [tenantId]);
	});
}
