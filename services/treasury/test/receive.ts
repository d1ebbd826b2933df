import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import { lockDisputeOf } from "../src/disputes/dispute.store.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import type { Paid, ShortcodeMoney } from "../src/outcomes/evidence/evidence.ts";
import { recordAttempt } from "../src/payments/attempt.store.ts";
import type { StoredIntent } from "../src/payments/intent.store.ts";
import { findReceipt } from "../src/receipts/receipt.store.ts";
import type { Receipt } from "../src/receipts/receipt.ts";
import { adoptRefund } from "../src/refunding/apply-refund-list.ts";
import { listRefundsOf } from "../src/refunds/refund.store.ts";
import { addBill } from "./add-bill.ts";

/** Adds a request of a tenant's own trade, of 1,000.00 shillings. */
export async function addTrade(
	db: Database,
	tenantId: string,
	more: Parameters<typeof addBill>[2] = {},
): Promise<StoredIntent> {
	await ensureTenant(db, tenantId);
	const trade = { payee: "tenant", sourceService: "ordering", orderId: "17", amountMinor: 100_000n } as const;
	return inTenant(db, tenantId, (tx) => addBill(tx, tenantId, { ...trade, ...more }));
}

export const newReceiptNumber = () => randomBytes(5).toString("hex").toUpperCase();

type Received = Partial<ShortcodeMoney> & { intentId?: string; isTrusted?: boolean; at?: Date };

/** Counts 1,000.00 shillings that came to a shortcode, by default 600200, and returns their receipt. */
export async function receive(
	db: Database,
	tenantId: string,
	{ intentId, isTrusted = true, at = new Date(), ...more }: Received = {},
): Promise<Receipt> {
	const money: ShortcodeMoney = {
		...{ receipt: newReceiptNumber(), shortcode: "600200", custody: "tenant", amountMinor: 100_000n },
		...{ currency: "KES", accountRef: null, payerMasked: "2547 ***** 126", paidAt: undefined },
		...more,
	};
	await ensureTenant(db, tenantId);
	return inTenant(db, tenantId, async (tx) => {
		const about = { tenantId, intentId, isTrusted, at } as const;
		await applyOutcome(tx, { ...about, source: "delivery", sourceId: undefined, money });
		return getByNumber(tx, money.receipt);
	});
}

/** Counts a charge of the card gateway for an intent, and returns its receipt. */
export function charge(
	db: Database,
	{ tenantId, id: intentId, amountMinor, currency }: StoredIntent,
	said: Partial<Paid> = {},
): Promise<Receipt> {
	const [at, receipt] = [new Date(), String(randomInt(2 ** 40))];
	return inTenant(db, tenantId, async (tx) => {
		const attempt = await recordAttempt(tx, {
			...{ tenantId, id: randomUUID(), intentId, amountMinor, channel: "checkout" },
			...{ custody: "platform", shortcode: null, phone: null, nextCheckAt: null, now: at },
			...{ reference: `pay-${randomBytes(16).toString("hex")}`, expiresAt: new Date(at.getTime() + 60_000) },
		});
		await applyOutcome(tx, {
			...{ tenantId, attemptId: attempt.id, source: "query", sourceId: undefined, at },
			said: {
				...{ kind: "paid", amountMinor, currency, receipt, channel: "card" },
				...{ paidAt: undefined, payerMasked: undefined },
				...said,
			},
		});
		return getByNumber(tx, receipt);
	});
}

async function getByNumber(tx: Database, number: string): Promise<Receipt> {
	const [row] = await tx.query<{ id: string }>("select id from receipts where receipt = $1", [number]);
	const receipt = row && (await findReceipt(tx, row.id));
	if (receipt === undefined) throw new Error("the receipt was not recorded");
	return receipt;
}

/** Records a refund of a receipt that the gateway made, and returns its id. */
export function returnedAtGateway(
	db: Database,
	receipt: Receipt,
	said: { amountMinor?: bigint; status?: string } = {},
): Promise<string> {
	const { amountMinor = receipt.amountMinor, status = "pending" } = said;
	return inTenant(db, receipt.tenantId, async (tx) => {
		const entry = { id: String(randomInt(2 ** 40)), amountMinor, status };
		await adoptRefund(tx, { receipt, entry, source: "query", sourceId: undefined, now: new Date() });
		const [refund] = (await listRefundsOf(tx, receipt.id)).filter((one) => one.gatewayRef === entry.id);
		if (refund === undefined) throw new Error("the refund was not recorded");
		return refund.id;
	});
}

/** Opens a dispute of a receipt, and returns its id. */
export function disputed(
	db: Database,
	receipt: Receipt,
	said: { amountMinor?: bigint; dueAt?: Date } = {},
): Promise<string> {
	const { tenantId, id: receiptId } = receipt;
	const { amountMinor = receipt.amountMinor, dueAt } = said;
	const gatewayId = String(randomInt(2 ** 40));
	return inTenant(db, tenantId, async (tx) => {
		await applyOutcome(tx, {
			...{ tenantId, receiptId, source: "delivery", sourceId: undefined, at: new Date() },
			dispute: {
				...{ gatewayId, status: "open", resolution: null, category: "chargeback", amountMinor },
				dueAt,
			},
		});
		const dispute = await lockDisputeOf(tx, gatewayId);
		if (dispute === undefined) throw new Error("the dispute was not recorded");
		return dispute.id;
	});
}
