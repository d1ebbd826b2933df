import { notificationsCreditLow } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { findTenantName } from "./credit.store.ts";

/** Publishes that the tenant's SMS credit fell below its threshold (§8). Call it inside the tenant. */
export async function publishCreditLow(
	tx: Database,
	{ tenantId, balance, threshold, now }: { tenantId: string; balance: number; threshold: number; now: Date },
): Promise<void> {
	await recordEvent(tx, notificationsCreditLow, {
		subject: tenantId,
		tenantId,
		now,
		data: { tenant_id: tenantId, tenant_name: await findTenantName(tx, tenantId), balance, threshold },
	});
}
