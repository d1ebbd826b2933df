import type { Database } from "@lango/postgres";
import { listBillPayments, listPartsOf } from "../../holds/hold.store.ts";
import { lockIntent } from "../../payments/intent.store.ts";
import { listTradePayments } from "../../payments/payment.store.ts";
import { findReceipt, lockReceipt } from "../../receipts/receipt.store.ts";
import { findRefund, lockRefund, type StoredRefund } from "../../refunds/refund.store.ts";
import { lockBillsOf, unappliedOf } from "../../unapplied/unapplied.store.ts";
import type { Returnable } from "./take-parts.ts";

/**
 * Locks a receipt and everything that returning a part of it changes, in the order that every change of
 * money takes: bills, intents, the receipt. Returns undefined if no payer paid such a receipt. Call it inside
 * the tenant.
 */
export async function lockReturnable(
	tx: Database,
	tenantId: string,
	receiptId: string,
): Promise<Returnable | undefined> {
	const found = await findReceipt(tx, receiptId);
	if (found?.kind !== "collection") return undefined;
	const isOfPlatform = found.platformMinor > 0n;
	if (isOfPlatform) await lockBillsOf(tx, tenantId);
	const intentIds = (await listTradePayments(tx, receiptId)).map(({ intentId }) => intentId);
	for (const id of [...new Set(intentIds)].toSorted()) await lockIntent(tx, id);
	const receipt = await lockReceipt(tx, receiptId);
	if (receipt === undefined) return undefined;
	return {
		receipt,
		payments: await listTradePayments(tx, receiptId),
		parts: await listPartsOf(tx, receiptId),
		unappliedMinor: isOfPlatform ? await unappliedOf(tx, receipt.currency) : 0n,
		bills: isOfPlatform ? await listBillPayments(tx, { receiptId, currency: receipt.currency }) : [],
	};
}

/** Locks a refund after its receipt: decide about a refund only then. Call it inside the tenant. */
export async function lockRefundOf(
	tx: Database,
	tenantId: string,
	id: string,
): Promise<{ refund: StoredRefund | undefined; returnable: Returnable | undefined }> {
	const found = await findRefund(tx, id);
	const returnable = found && (await lockReturnable(tx, tenantId, found.receiptId));
	return { refund: await lockRefund(tx, id), returnable };
}
