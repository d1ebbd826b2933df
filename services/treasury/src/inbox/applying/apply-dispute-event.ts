import type { Database } from "@lango/postgres";
import { applyStatedDispute } from "../../outcomes/apply-stated-dispute.ts";
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

/** Why an event is parked whose dispute could not be applied. */
const reasons = {
	not_counted: "the charge that is disputed is not counted yet",
	other_currency: "the dispute has another currency",
} as const;

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
	const applied = await applyStatedDispute(tx, {
		stated: event,
		source: "delivery",
		sourceId: delivery.id,
		at: now,
	});
	if (applied !== "applied") return parked(reasons[applied]);
	return { ...about, status: "done", because: undefined };
}
