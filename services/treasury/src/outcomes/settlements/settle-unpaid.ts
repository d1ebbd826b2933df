import type { Database } from "@lango/postgres";
import { postRaising } from "../../ledger/post-raising.ts";
import { release, varyUnsettled } from "../../ledger/postings/settling.ts";
import { lockReceipt } from "../../receipts/receipt.store.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { UnpaidEvidence } from "../evidence/settling-evidence.ts";
import { markSettled, releasePayments } from "./settled.store.ts";

/**
 * Settles the receipt of a charge that no settlement pays out: the platform bears its net amount, and what is
 * pending of its payments becomes available. Call it inside the tenant of the receipt. Throws an Error if it
 * is settled, which closes the exception that two operators decided about.
 */
export async function settleUnpaid(tx: Database, evidence: UnpaidEvidence): Promise<void> {
	const { tenantId, unpaid, source, sourceId, at } = evidence;
	const receipt = await lockReceipt(tx, unpaid.receiptId);
	if (receipt?.settledAt !== null) throw new Error(`the receipt ${unpaid.receiptId} is not unsettled`);
	const { id, currency, amountMinor, feeMinor, isFeeEstimated } = receipt;
	const about = { tenantId, objectKind: "receipt" as const, objectId: id, source, sourceId, at };
	const evidenceId = await recordEvidence(tx, { ...about, said: { kind: "unpaid", ...unpaid } });
	await markSettled(tx, { id, settledAt: at, feeMinor, isFeeEstimated });
	const of = { evidenceId, at };
	const variance = varyUnsettled({ amountMinor: amountMinor - feeMinor, currency });
	const released = await releasePayments(tx, id, at);
	const journals = [
		{ ...variance, ...of, source: { type: "adjustment", id: unpaid.adjustmentId } },
		...released.map((payment) => ({
			...{ ...release({ amountMinor: payment.pendingMinor, currency }), ...of },
			source: { type: "payment", id: payment.id },
		})),
	].filter(({ lines }) => lines.length > 0);
	if (journals.length > 0) await postRaising(tx, tenantId, journals);
}
