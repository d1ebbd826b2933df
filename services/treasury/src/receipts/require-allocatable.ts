import type { Intent } from "../payments/intent.ts";
import { receiptFailures } from "./failures.ts";
import { type Receipt, unallocatedOf } from "./receipt.ts";

/**
 * Returns a receipt of which something can be allocated to an intent. What a tenant's own shortcode
 * received cannot pay the platform, which does not have the money, and the reverse. Throws
 * `receipt_not_found`,
 * `receipt_unverified`, `receipt_allocated`, `receipt_duplicate`, `currency_differs` and
 * `custody_differs`.
 * Pure.
 */
export function requireAllocatable(
	receipt: Receipt | undefined,
	{ currency, payee }: Pick<Intent, "currency" | "payee">,
): Receipt {
	if (receipt === undefined) throw receiptFailures.receipt_not_found();
	if (receipt.state === "unverified") throw receiptFailures.receipt_unverified();
	if (unallocatedOf(receipt) === 0n) throw receiptFailures.receipt_allocated();
	if (receipt.isDuplicate) throw receiptFailures.receipt_duplicate();
	if (receipt.currency !== currency) throw receiptFailures.currency_differs();
	if (receipt.shortcode !== null && receipt.custody !== payee) throw receiptFailures.custody_differs();
	return receipt;
}
