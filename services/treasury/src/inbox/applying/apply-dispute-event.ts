import { type Database, inTenant } from "@lango/postgres";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { findCounted, findReceipt, findReceiptOfAttempt } from "../../receipts/receipt.store.ts";
import { type DeliveryEnd, isEventApplied } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { DisputeEvent } from "../reading.ts";

type DisputeApplied = {
	delivery: Delivery;
	event: DisputeEvent;
	/** Its address is not on the list: a person has to look. */
	isHint: boolean;
	now: Date;
};

/** Applies an event about a dispute: that of the transaction by our reference, or by the gateway's id. */
export async function applyDisputeEvent(
	tx: Database,
	{ delivery, event, isHint, now }: DisputeApplied,
): Promise<DeliveryEnd> {
	const about = { trust: "signature" as const, eventKey: event.eventKey };
	const parked = (because: string): DeliveryEnd => ({ ...about, status: "parked", because });
	if (isHint) return parked("the event came from an address that is not on the list");
	if (await isEventApplied(tx, event.eventKey))
		return { ...about, status: "done", because: "the event was applied before" };
	const found = await locate(tx, event);
	if (found === undefined) return parked("the charge that is disputed is not counted yet");
	return inTenant(tx, found.tenantId, async (inside) => {
		const receipt =
			(await findReceiptOfAttempt(inside, found.objectId)) ?? (await findReceipt(inside, found.objectId));
		if (receipt === undefined) return parked("the charge that is disputed is not counted yet");
		if (receipt.currency !== event.currency) return parked("the dispute has another currency");
		const { tenantId, id: receiptId } = receipt;
		await applyOutcome(inside, {
			...{ tenantId, receiptId, dispute: event.dispute, source: "delivery", sourceId: delivery.id, at: now },
		});
		return { ...about, status: "done", because: undefined };
	});
}

/** The attempt of our reference, else the receipt of the transaction. */
const locate = async (tx: Database, { reference = "", transactionId = "" }: DisputeEvent) =>
	(await findCounted(tx, "card_gateway", transactionId)) ?? (await findLocator(tx, "reference", reference));
