import { type Database, inTenant } from "@lango/postgres";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { DeliveryEnd } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { Confirmation } from "../reading.ts";
import { confirmedCurrency, type Place } from "./place-confirmation.ts";

type Confirmed = { delivery: Delivery; confirmation: Confirmation; place: Place | undefined; now: Date };

/**
 * Applies a payment to a paybill or till. From a sender who is not trusted it is recorded as not verified,
 * without a posting.
 */
export async function applyConfirmation(
	tx: Database,
	{ delivery, confirmation, place, now }: Confirmed,
): Promise<DeliveryEnd> {
	const end = { eventKey: undefined, trust: place?.isTrusted === true ? "token" : "none" } as const;
	if (place === undefined) return { ...end, status: "ignored", because: "the shortcode is not known" };
	const { tenantId, intentId, isTrusted, custody, accountRef } = place;
	const { receipt, shortcode, amountMinor, payerMasked = null, occurredAt: paidAt } = confirmation;
	await inTenant(tx, tenantId, (inside) =>
		applyOutcome(inside, {
			...{ tenantId, intentId, isTrusted, source: "delivery", sourceId: delivery.id, at: now },
			money: {
				...{ receipt, shortcode, custody, amountMinor, currency: confirmedCurrency },
				...{ accountRef, payerMasked, paidAt },
			},
		}),
	);
	const because = isTrusted ? undefined : "the sender is not trusted: the gateway is asked about the receipt";
	return { ...end, status: "done", because };
}
