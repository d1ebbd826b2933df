import { treasuryIntentChanged, treasuryPaymentFailed, treasuryPaymentSucceeded } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import { recordFailedAttempt } from "./intent.store.ts";
import type { Intent } from "./intent.ts";

/** Publishes the state of an intent. Call it in the transaction of the change. */
export async function recordIntentChanged(tx: Database, intent: Intent, now: Date): Promise<void> {
	await recordEvent(tx, treasuryIntentChanged, {
		...{ subject: intent.id, tenantId: intent.tenantId, now },
		data: {
			...{ intent_id: intent.id, tenant_id: intent.tenantId, operation_id: intent.operationId },
			...{ order_id: intent.orderId, source_service: intent.sourceService, status: intent.status },
			received_minor: toMinor(intent.receivedMinor),
			refunded_minor: toMinor(intent.refundedMinor),
			version: intent.version,
		},
	});
}

type PaidBy = {
	intent: Intent;
	paymentId: string;
	receipt: { occurredAt: Date; channel: string; receipt: string | null };
	now: Date;
};

/**
 * Publishes that an intent was paid in full, by the payment that completed it. Call it in the transaction
 * of the change.
 */
export async function recordIntentPaid(
	tx: Database,
	{ intent, paymentId, receipt, now }: PaidBy,
): Promise<void> {
	await recordEvent(tx, treasuryPaymentSucceeded, {
		...{ subject: intent.operationId, tenantId: intent.tenantId, now },
		data: {
			...{ operation_id: intent.operationId, tenant_id: intent.tenantId, payment_id: paymentId },
			...{ amount_minor: toMinor(intent.amountMinor), currency: intent.currency },
			paid_at: receipt.occurredAt.toISOString(),
			...{ intent_id: intent.id, source_service: intent.sourceService, order_id: intent.orderId },
			...{ channel: receipt.channel, receipt: receipt.receipt },
		},
	});
}

/** Why an asking failed (design section 9). */
export type FailureReason =
	| "expired"
	| "cancelled_by_payer"
	| "insufficient_funds"
	| "refused"
	| "no_billing_method"
	| "not_executed"
	| "halted";

/**
 * Publishes that the asking of another service failed, once for each attempt of that service. The intent is
 * locked. Call it in the transaction of the change.
 */
export async function recordAskingFailed(
	tx: Database,
	{ intent, reason, now }: { intent: Intent; reason: FailureReason; now: Date },
): Promise<void> {
	if (intent.failedAttempt >= intent.askedAttempt) return;
	await recordFailedAttempt(tx, intent);
	await recordEvent(tx, treasuryPaymentFailed, {
		...{ subject: intent.operationId, tenantId: intent.tenantId, now },
		data: {
			...{ operation_id: intent.operationId, tenant_id: intent.tenantId, attempt: intent.askedAttempt },
			...{ reason, intent_id: intent.id, source_service: intent.sourceService },
			...{ amount_minor: toMinor(intent.amountMinor), currency: intent.currency },
		},
	});
}
