import { treasuryRefundChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import type { Refund } from "./refund.ts";

/** Publishes the state of a refund. Call it in the transaction of the change. */
export async function recordRefundChanged(
	tx: Database,
	{ refund, operationId, now }: { refund: Refund; operationId: string | undefined; now: Date },
): Promise<void> {
	await recordEvent(tx, treasuryRefundChanged, {
		...{ subject: refund.id, tenantId: refund.tenantId, now },
		data: {
			...{ refund_id: refund.id, tenant_id: refund.tenantId, receipt_id: refund.receiptId },
			...(refund.paymentId !== null && { payment_id: refund.paymentId }),
			...(operationId !== undefined && { operation_id: operationId }),
			...{ status: refund.status, amount_minor: toMinor(refund.amountMinor), currency: refund.currency },
			...{ needs_review: refund.needsReview, version: refund.version },
		},
	});
}
