import type { Database } from "@lango/postgres";
import { isDisputed } from "../../disputes/dispute.store.ts";
import { receiptFailures } from "../../receipts/failures.ts";
import { refundFailures } from "../../refunds/failures.ts";
import { listRefundsOf } from "../../refunds/refund.store.ts";
import { isRefundOpen, isReversed, type RefundMethod } from "../../refunds/refund.ts";
import type { ReturnedOf } from "../evidence/refund-evidence.ts";
import { leftOf, type Returnable } from "./take-parts.ts";

type Wanted = {
	of: ReturnedOf;
	paymentId: string | null;
	amountMinor: bigint;
	method: RefundMethod;
};

/**
 * Refuses a refund of money that is not there, or that the payer disputes. The receipt is locked. Call it
 * inside the tenant. Throws `receipt_unverified`, `receipt_duplicate`, `payment_disputed`, `refund_running`,
 * `reversal_too_late` and `refund_exceeds_payment`.
 */
export async function requireReturnable(tx: Database, returnable: Returnable, wanted: Wanted): Promise<void> {
	const { receipt } = returnable;
	if (receipt.state !== "verified") throw receiptFailures.receipt_unverified();
	if (receipt.isDuplicate) throw receiptFailures.receipt_duplicate();
	if (await isDisputed(tx, receipt.id)) throw refundFailures.payment_disputed();
	// The mobile-money gateway reverses a payment once, and does not say by which request.
	const others = wanted.method === "card" ? [] : await listRefundsOf(tx, receipt.id);
	if (others.some(isRefundOpen)) throw refundFailures.refund_running();
	if (wanted.method === "reversal" && others.some(isReversed)) throw refundFailures.reversal_too_late();
	const left = leftOf(returnable, wanted);
	if (wanted.amountMinor > left || left === 0n) throw refundFailures.refund_exceeds_payment();
}
