import { subscriptionLimitWarning } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { recordTenantEvent } from "../record/record-tenant-event.ts";
import { findMetric } from "../rules/usage/metric.ts";
import { claimWarning, listDueWarnings } from "./usage.store.ts";

/** A counter that has reached 80 % or 100 % of its limit. */
export type NearLimit = { tenantId: string; metric: string; windowKey: string };

/**
 * Records `subscription.limit_warning` for a counter, once per percentage and period, in the transaction that
 * marks it.
 */
export async function publishLimitWarning(
	db: Database,
	{ tenantId, metric, windowKey }: NearLimit,
	now: Date,
): Promise<void> {
	await inTenant(db, tenantId, async (tx) => {
		const due = await claimWarning(tx, { tenantId, metric, windowKey });
		const limit = findMetric(metric)?.limit ?? null;
		if (due === undefined || limit === null) return;
		await recordTenantEvent(tx, subscriptionLimitWarning, {
			subject: tenantId,
			tenantId,
			now,
			data: {
				tenant_id: tenantId,
				metric,
				limit,
				limit_value: due.limitValue,
				used: due.used,
				percent: due.percent,
				window: due.warnedFor,
			},
		});
	});
}

const batchSize = 500;

/**
 * Publishes the due warnings that were missed, for example because a process died after counting. Returns
 * their number.
 */
export async function publishDueWarnings(db: Database, now: Date): Promise<number> {
	const due = await listDueWarnings(db, batchSize);
	for (const one of due) await publishLimitWarning(db, one, now);
	return due.length;
}
