import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { fingerprintOf, openIntent } from "../payments/open-intent.ts";
import { findCounted, findReceipt, flagReceipt } from "../receipts/receipt.store.ts";
import { isUnused } from "../receipts/receipt.ts";
import { lockBillsOf } from "../unapplied/unapplied.store.ts";
import { changeOrder } from "./change-order.ts";
import { findOrder, lockOrder, type StoredOrder } from "./standing-order.store.ts";
import { isClosedOrder } from "./standing-order.ts";

/** A payment of a wallet by a standing order, as its confirmation says. */
type Executed = { orderId: string; receipt: string; amountMinor: bigint; paidAt: Date | undefined };

/** An execution of which the money is counted next. */
export type Execution = {
	order: StoredOrder;
	/** Whether it was not counted as one of this order before. */
	isNew: boolean;
	/** The request that it pays, of the tenant's own trade. */
	intentId: string | undefined;
};

const gateway = "mobile_money" as const;
const dayMs = 86_400_000;

/**
 * Prepares to count an execution of a standing order. That of a tenant's own trade pays a payment request
 * of its own, for what was paid; that of a closed order pays nothing, and waits. Call it inside the tenant.
 */
export async function prepareExecution(
	tx: Database,
	executed: Executed,
	parts: { keys: KeyEncryptionKeys; now: Date },
): Promise<Execution> {
	const found = await findOrder(tx, executed.orderId);
	// What it pays to the platform is used by one transaction at a time: bills are locked before orders.
	if (found?.payee === "platform") await lockBillsOf(tx, found.tenantId);
	const order = await lockOrder(tx, executed.orderId);
	if (order === undefined) throw new Error(`the standing order ${executed.orderId} was removed`);
	const isNew = await isFirst(tx, executed.receipt);
	const pays = isNew && order.payee === "tenant" && !isClosedOrder(order);
	return { order, isNew, intentId: pays ? await openRequest(tx, { order, executed, ...parts }) : undefined };
}

/** An answer about the number, which names no account, may have counted it before. */
async function isFirst(tx: Database, receipt: string): Promise<boolean> {
	const counted = await findCounted(tx, gateway, receipt);
	const known = counted && (await findReceipt(tx, counted.objectId));
	return known === undefined ? true : known.accountRef === null && isUnused(known);
}

type Requesting = { order: StoredOrder; executed: Executed; keys: KeyEncryptionKeys; now: Date };

async function openRequest(
	tx: Database,
	{ order, executed: { receipt, amountMinor }, keys, now }: Requesting,
): Promise<string> {
	const { tenantId, currency, description } = order;
	const asked = { payee: "tenant" as const, sourceService: "treasury", operationId: undefined };
	const intent = await openIntent(
		tx,
		{
			...{ tenantId, ...asked, operationKind: null, orderId: order.id, description, amountMinor, currency },
			...{ askedAttempt: 1, askedAt: now, channels: ["push"], customerUserId: null, returnUrl: null },
			...{ customer: { phone: order.phone }, metadata: { standing_order_id: order.id } },
			...{ expiresAt: new Date(now.getTime() + dayMs), fingerprint: fingerprintOf({ receipt }) },
			...{ createdBy: { kind: "service", id: "standing_order" }, idempotencyKey: receipt },
		},
		{ keys, now },
	);
	if (intent === undefined) throw new Error(`the execution ${receipt} has a payment request already`);
	return intent.id;
}

/**
 * Records that an execution was counted: the order is active, or its receipt is flagged because the order
 * is closed. Call it inside the tenant.
 */
export async function recordExecution(
	tx: Database,
	{ order, isNew }: Execution,
	{ receipt, paidAt, now }: { receipt: string; paidAt: Date | undefined; now: Date },
): Promise<void> {
	if (!isNew) return;
	if (isClosedOrder(order)) await flagReceipt(tx, { gateway, receipt, flag: "standing_order_closed" });
	const change = { executions: order.executions + 1, lastExecutedAt: paidAt ?? now };
	await changeOrder(tx, order, { said: { kind: "executed" }, change, now });
}
