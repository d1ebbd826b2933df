import { type Database, inTenant } from "@lango/postgres";
import type { CardRefund } from "../../gateways/card-gateway/refunds.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { lockReturnable } from "../../outcomes/refunds/lock-returnable.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { findReceipt, findReceiptOfAttempt } from "../../receipts/receipt.store.ts";
import type { Receipt } from "../../receipts/receipt.ts";
import { adoptRefund, applyRefundList } from "../../refunding/apply-refund-list.ts";
import { mayExistThere } from "../../refunding/match-refunds.ts";
import { listRefundsOf } from "../../refunds/refund.store.ts";
import { isRefundOpen, type Refund } from "../../refunds/refund.ts";
import type { DeliveryEnd } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { RefundEvent } from "../reading.ts";

/** Before an event is applied, the gateway has to list the refunds of a transaction, outside of it. */
export type MustList = { listRefundsOf: { transaction: string; currency: string } };

export type RefundApplied = {
	delivery: Delivery;
	event: RefundEvent;
	/** Its address is not on the list: only the gateway's list counts. */
	isHint: boolean;
	/** Whether the gateway can list refunds. */
	canList: boolean;
	/** What it listed; undefined before it was asked. */
	listed: readonly CardRefund[] | undefined;
	now: Date;
};

const about = { trust: "signature", eventKey: undefined } as const;
const done: DeliveryEnd = { ...about, status: "done", because: undefined };
const parked = (because: string): DeliveryEnd => ({ ...about, status: "parked", because });

/**
 * Applies an event about a refund, which names no refund: it is that of the transaction with this amount,
 * if there is one. Otherwise the gateway is asked which refunds it has. One that is not ours was made
 * there.
 */
export async function applyRefundEvent(
	tx: Database,
	applied: RefundApplied,
): Promise<DeliveryEnd | MustList> {
	const { event } = applied;
	const attempt = await findLocator(tx, "reference", event.reference);
	const found = attempt ?? (await findLocator(tx, "charge", event.reference));
	if (found === undefined) return parked("the reference is not known");
	return inTenant(tx, found.tenantId, async (inside) => {
		const known = await (attempt ? findReceiptOfAttempt : findReceipt)(inside, found.objectId);
		const returnable = known && (await lockReturnable(inside, known.tenantId, known.id));
		if (returnable === undefined) return parked("the charge of the refund is not counted yet");
		const { receipt } = returnable;
		if (receipt.currency !== event.currency) return parked("the refund has another currency");
		return applyToReceipt(inside, receipt, applied);
	});
}

async function applyToReceipt(
	tx: Database,
	receipt: Receipt,
	{ delivery, event, isHint, canList, listed, now }: RefundApplied,
): Promise<DeliveryEnd | MustList> {
	const about = { receipt, source: "delivery", sourceId: delivery.id, now } as const;
	if (listed !== undefined) {
		await applyRefundList(tx, { ...about, listed });
		return done;
	}
	const same = (await listRefundsOf(tx, receipt.id)).filter(
		(one) => one.method === "card" && one.amountMinor === event.amountMinor && mayExistThere(one),
	);
	const chosen = choose(same, event);
	const isDoubted =
		isHint || same.length !== 1 || typeof chosen === "string" || chosen.status === "processed";
	if (canList && receipt.receipt !== null && isDoubted)
		return { listRefundsOf: { transaction: receipt.receipt, currency: receipt.currency } };
	if (isHint) return parked("the event came from an address that is not on the list");
	if (chosen === "several") return parked("several refunds have this amount");
	if (chosen === "ended") return repeated;
	if (chosen === "foreign") return adopt(tx, about, event);
	const { tenantId, id: refundId } = chosen;
	const { said: refundSaid } = event;
	await applyOutcome(tx, {
		...{ tenantId, refundId, refundSaid, source: "delivery", sourceId: delivery.id, at: now },
	});
	return done;
}

const repeated: DeliveryEnd = { ...done, because: "the refund has ended already" };

async function adopt(
	tx: Database,
	made: Omit<Parameters<typeof adoptRefund>[1], "entry">,
	{ amountMinor, said, gatewayRef: id }: RefundEvent,
): Promise<DeliveryEnd> {
	await adoptRefund(tx, { ...made, entry: { amountMinor, id, status: said.kind.replaceAll("_", "-") } });
	return done;
}

/**
 * The refund that an event names; else the only one of its amount that the gateway may have. Of several it
 * could also repeat what was said of one that has ended.
 */
function choose(
	same: readonly Refund[],
	{ said, gatewayRef }: RefundEvent,
): Refund | "foreign" | "ended" | "several" {
	const named = same.find((one) => gatewayRef !== undefined && one.gatewayRef === gatewayRef);
	const unnamed = same.filter((one) => gatewayRef === undefined || one.gatewayRef === null);
	if (named === undefined && unnamed.length > 1) return "several";
	const chosen = named ?? unnamed[0];
	if (chosen === undefined) return "foreign";
	const isRevived = chosen.status === "failed" && said.kind === "processed";
	const isContradicted = chosen.status === "processed" && said.kind === "failed";
	return isRefundOpen(chosen) || isRevived || isContradicted ? chosen : "ended";
}
