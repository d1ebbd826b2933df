import { type AuditEntry, recordAudit } from "@lango/access";
import { inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findIntent } from "../payments/intent.store.ts";
import { receiptFailures } from "../receipts/failures.ts";
import { findReceipt } from "../receipts/receipt.store.ts";
import { requireAllocatable } from "../receipts/require-allocatable.ts";
import type { Treasury } from "../treasury.ts";

type Allocate = {
	/** The tenant that has the receipt: the platform owner's if its tenant is not known. */
	holderId: string;
	/** The tenant of the intent. */
	tenantId: string;
	receiptId: string;
	intentId: string;
	amountMinor: bigint | undefined;
	/** What the person saw as left of the receipt. */
	seenMinor: bigint | undefined;
	by: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/**
 * Allocates a receipt, or a part of it, to an intent because a person says so. One that the platform owner
 * has moves to the tenant of the intent. Throws what `allocateReceipt` throws.
 */
export async function allocateToIntent(
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ holderId, tenantId, receiptId, intentId, amountMinor, seenMinor, by }: Allocate,
): Promise<void> {
	const takenFrom = holderId === tenantId ? undefined : holderId;
	if (takenFrom !== undefined) {
		const intent = await inTenant(db, tenantId, (tx) => findIntent(tx, intentId));
		if (intent === undefined) throw paymentFailures.intent_not_found();
		const receipt = await inTenant(db, takenFrom, (tx) => findReceipt(tx, receiptId));
		// Money of the owner's own trade is not another tenant's.
		if (requireAllocatable(receipt, intent).custody !== "platform") throw receiptFailures.custody_differs();
	}
	const at = now();
	const allocation = { receiptId, intentId, amountMinor, seenMinor, takenFrom };
	await retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await applyOutcome(tx, { tenantId, allocation, source: "operator", sourceId: by.actor.id, at });
			await recordAudit(tx, {
				...{ tenantId, at, ...by, action: "receipt.allocated", subject: receiptId },
				detail: {
					intent_id: intentId,
					...(amountMinor !== undefined && { amount_minor: toMinor(amountMinor) }),
				},
			});
		}),
	);
}
