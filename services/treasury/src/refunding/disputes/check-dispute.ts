import type { Database } from "@lango/postgres";
import { findDispute } from "../../disputes/dispute.store.ts";
import { isOverdue, overdueException } from "../../disputes/dispute.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { toMinor } from "../../money/amount.ts";

/**
 * Raises an exception for a dispute that is overdue: it is lost without an answer, or its end has not
 * arrived. Call it inside the tenant.
 */
export async function checkDispute(tx: Database, id: string, now: Date): Promise<void> {
	const dispute = await findDispute(tx, id);
	if (dispute === undefined || !isOverdue(dispute, now)) return;
	const { tenantId, receiptId: receipt_id, amountMinor, currency, status, gatewayId, dueAt } = dispute;
	await raiseException(tx, {
		...{ ...overdueException(id), amountMinor, currency, now },
		ours: {
			tenant_id: tenantId,
			dispute_id: id,
			receipt_id,
			status,
			amount_minor: toMinor(amountMinor),
			currency,
		},
		theirs: { dispute: gatewayId, due_at: dueAt?.toISOString() },
	});
}
