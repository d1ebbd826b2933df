import { treasuryDisputeChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import type { Dispute } from "./dispute.ts";

/** Publishes the state of a dispute. Call it in the transaction of the change. */
export async function recordDisputeChanged(
	tx: Database,
	{ dispute, operationId, now }: { dispute: Dispute; operationId: string | undefined; now: Date },
): Promise<void> {
	await recordEvent(tx, treasuryDisputeChanged, {
		...{ subject: dispute.id, tenantId: dispute.tenantId, now },
		data: {
			...{ dispute_id: dispute.id, tenant_id: dispute.tenantId, receipt_id: dispute.receiptId },
			...(dispute.paymentId !== null && { payment_id: dispute.paymentId }),
			...(operationId !== undefined && { operation_id: operationId }),
			...{ status: dispute.status, amount_minor: toMinor(dispute.amountMinor), currency: dispute.currency },
			...(dispute.dueAt !== null && { due_at: dispute.dueAt.toISOString() }),
			version: dispute.version,
		},
	});
}
