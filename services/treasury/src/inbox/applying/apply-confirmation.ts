import { type Database, inTenant } from "@lango/postgres";
import { mobileMoneyCurrency } from "../../money/amount.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import { prepareExecution, recordExecution } from "../../standing-orders/execution.ts";
import type { Treasury } from "../../treasury.ts";
import type { DeliveryEnd } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { Confirmation } from "../reading.ts";
import type { Place } from "./place-confirmation.ts";

type Confirmed = {
	delivery: Delivery;
	confirmation: Confirmation;
	place: Place | undefined;
	keys: Treasury["keys"];
	now: Date;
};

/**
 * Applies a payment to a paybill or till. From a sender who is not trusted it is recorded as not verified,
 * without a posting.
 */
export async function applyConfirmation(
	tx: Database,
	{ delivery, confirmation, place, keys, now }: Confirmed,
): Promise<DeliveryEnd> {
	const end = { eventKey: undefined, trust: place?.isTrusted === true ? "token" : "none" } as const;
	if (place === undefined) return { ...end, status: "ignored", because: "the shortcode is not known" };
	const { tenantId, orderId, isTrusted, custody, accountRef, countedId } = place;
	const { receipt, shortcode, amountMinor, payerMasked = null, occurredAt: paidAt } = confirmation;
	await inTenant(tx, tenantId, async (inside) => {
		const execution =
			orderId === undefined
				? undefined
				: await prepareExecution(inside, { orderId, receipt, amountMinor, paidAt }, { keys, now });
		await applyOutcome(inside, {
			...{ tenantId, isTrusted, source: "delivery", sourceId: delivery.id, at: now },
			intentId: execution === undefined ? place.intentId : execution.intentId,
			...{ isForBills: execution?.order.payee === "platform", countedId },
			money: {
				...{ receipt, shortcode, custody, amountMinor, currency: mobileMoneyCurrency },
				...{ accountRef, payerMasked, paidAt },
			},
		});
		if (execution !== undefined) await recordExecution(inside, execution, { receipt, paidAt, now });
	});
	const because = isTrusted ? undefined : "the sender is not trusted: the gateway is asked about the receipt";
	return { ...end, status: "done", because };
}
