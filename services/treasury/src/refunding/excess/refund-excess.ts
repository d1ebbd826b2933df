import { Failure } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import { findTenantGateway } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import { isHalted } from "../../halts/is-halted.ts";
import { findReceipt } from "../../receipts/receipt.store.ts";
import { type Receipt, unallocatedOf } from "../../receipts/receipt.ts";
import type { Treasury } from "../../treasury.ts";
import { requestRefund } from "../request-refund.ts";
import { isAwaitingNumber } from "./excess.store.ts";

type Excess = { tenantId: string; receiptId: string };

/**
 * Returns what a payer paid too much, once for each receipt. What cannot be returned stays with the tenant,
 * who allocates it. Throws `halted`: it is tried again later.
 */
export async function refundExcess(domain: Treasury, { tenantId, receiptId }: Excess): Promise<void> {
	const isExcess = await inTenant(domain.db, tenantId, (tx) => isReturned(tx, receiptId));
	if (!isExcess) return;
	await requestRefund(domain, {
		...{ tenantId, of: { receiptId }, amountMinor: undefined, isOperator: false },
		...{ reason: "More was paid than was asked for", customerNote: null },
		...{ createdBy: { kind: "service", id: "treasury" }, idempotencyKey: `excess-${receiptId}` },
		by: { actor: { kind: "system", id: "treasury" } },
	}).catch((error: unknown) => {
		if (!(error instanceof Failure) || isHalted(error)) throw error;
		domain.log.info({ receipt: receiptId, code: error.code }, "an excess is left to its tenant");
	});
}

/** Whether it is still in suspense, and is not the money of a receipt whose number is not known yet. */
async function isReturned(tx: Database, receiptId: string): Promise<boolean> {
	const receipt = await findReceipt(tx, receiptId);
	if (receipt === undefined || !isSuspended(receipt)) return false;
	if (await isAwaitingNumber(tx, receipt)) return false;
	return (await findTenantGateway(tx))?.refundExcess === true;
}

const isSuspended = (receipt: Receipt): boolean =>
	receipt.state === "verified" && !receipt.isDuplicate && unallocatedOf(receipt) > 0n;
