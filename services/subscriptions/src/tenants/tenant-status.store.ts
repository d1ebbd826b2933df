import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { settlementJob } from "../record/schedule-settlement.ts";

type TenantStatus = { tenantId: string; isSuspended: boolean; version: number };

/**
 * Records whether a tenant is suspended, unless a later version is known. If the suspension ends, delayed
 * steps are due: schedules the settlement, and the recovery scan finds the tenant if that job is lost. False
 * if nothing was recorded.
 */
export async function recordTenantStatus(
	db: Database,
	{ tenantId, isSuspended, version }: TenantStatus,
): Promise<boolean> {
	return inTenant(db, tenantId, async (tx) => {
		const [before] = await tx.query<{ is_suspended: boolean }>(
			"select is_suspended from tenant_suspensions where tenant_id = $1 for update",
			[tenantId],
		);
		const noted = await tx.query(
			`insert into tenant_suspensions (tenant_id, is_suspended, version) values ($1, $2, $3)
			 on conflict (tenant_id) do update set is_suspended = excluded.is_suspended, version = excluded.version
			  where tenant_suspensions.version < excluded.version
			 returning tenant_id`,
			[tenantId, isSuspended, version],
		);
		const isRecorded = noted.length > 0;
		if (isRecorded && before?.is_suspended === true && !isSuspended) await settleSoon(tx, tenantId);
		return isRecorded;
	});
}

async function settleSoon(tx: Database, tenantId: string): Promise<void> {
	const rows = await tx.query(
		"update subscriptions set next_due_at = '-infinity' where tenant_id = $1 returning tenant_id",
		[tenantId],
	);
	if (rows.length > 0) await enqueueJob(tx, settlementJob, { id: tenantId, tenantId });
}
