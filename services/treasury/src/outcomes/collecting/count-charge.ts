import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { recordChargeReference } from "../../payments/locator.store.ts";
import { findCounted } from "../../receipts/receipt.store.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { ChargeEvidence } from "../evidence/evidence.ts";
import { feeOf } from "./collect.ts";
import { countReceipt } from "./count-receipt.ts";
import { lockPayable } from "./lock-payable.ts";

const gateway = "card_gateway" as const;

/**
 * Counts a charge that has no reference of ours, once in all tenants. It pays an intent or bills; one of
 * which the tenant is not known lies in suspense with the platform owner, who allocates it. Call it inside
 * the tenant of the evidence.
 */
export async function countCharge(tx: Database, evidence: ChargeEvidence): Promise<void> {
	const { tenantId, charge, isForBills = false, source, sourceId, at } = evidence;
	const { receipt, amountMinor, currency, paidAt, feeMinor, channel = "checkout" } = charge;
	const { intentId } = evidence;
	const intent = await lockPayable(tx, { tenantId, intentId, isForBills });
	if ((await findCounted(tx, gateway, receipt)) !== undefined) return;
	const id = uuidV7(at);
	const about = { tenantId, objectKind: "receipt" as const, objectId: id, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: charge });
	await countReceipt(tx, {
		...{ tenantId, intent, isForBills, evidenceId, now: at },
		receipt: {
			...{ id, gateway, receipt, shortcode: null, channel, custody: "platform", amountMinor, currency },
			...{ occurredAt: paidAt ?? at, feeMinor: feeMinor ?? feeOf(channel, amountMinor) },
			...{ isFeeEstimated: feeMinor === undefined, accountRef: charge.reference, payerMasked: null },
			attemptId: null,
		},
	});
	await recordChargeReference(tx, { tenantId, receiptId: id, reference: charge.reference });
}
