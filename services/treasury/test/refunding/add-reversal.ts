import { randomBytes, randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { RefundSaid } from "../../src/outcomes/evidence/refund-evidence.ts";
import { lockReceiptByNumber } from "../../src/receipts/receipt.store.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { findRefund } from "../../src/refunds/refund.store.ts";
import type { Refund } from "../../src/refunds/refund.ts";
import { receive } from "../receive.ts";

type Adding = {
	/** The number of the receipt that is returned; without one a payment is counted. */
	number?: string;
	shortcode?: string;
	method?: "reversal" | "payout";
	said?: readonly RefundSaid[];
};

/** Adds a refund of a payment to a tenant's shortcode, by default 600200, and applies what is said. */
export async function addReversal(db: Database, tenantId: string, adding: Adding = {}): Promise<Refund> {
	const { number, shortcode = "600200", method = "reversal", said = [] } = adding;
	const receipt =
		number === undefined ? await receive(db, tenantId, { shortcode }) : await find(db, tenantId, number);
	const [id, at] = [randomUUID(), new Date()];
	const about = { tenantId, source: "request", sourceId: undefined, at } as const;
	return inTenant(db, tenantId, async (tx) => {
		await applyOutcome(tx, {
			...{ ...about, of: "whole", mayBeDebt: false },
			newRefund: {
				...{ id, receiptId: receipt.id, paymentId: null, origin: "request", method },
				...{ amountMinor: undefined, reason: "Paid to the wrong shop", customerNote: null },
				...{ gatewayRef: null, nextCheckAt: null, idempotencyKey: id, fingerprint: randomBytes(32) },
				createdBy: { kind: "user", id: randomUUID() },
			},
		});
		for (const refundSaid of said) await applyOutcome(tx, { ...about, refundId: id, refundSaid });
		const refund = await findRefund(tx, id);
		if (refund === undefined) throw new Error("the refund was not recorded");
		return refund;
	});
}

async function find(db: Database, tenantId: string, receipt: string): Promise<Receipt> {
	const found = await inTenant(db, tenantId, (tx) =>
		lockReceiptByNumber(tx, { gateway: "mobile_money", receipt }),
	);
	if (found === undefined) throw new Error(`the receipt ${receipt} was not recorded`);
	return found;
}
