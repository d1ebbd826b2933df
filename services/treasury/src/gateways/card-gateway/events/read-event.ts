import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { ignored, parked, type Reading, unreadable } from "../../../inbox/reading.ts";
import { paidByCharge } from "../said-by-charge.ts";

/** Our references: `pay-` and 32 hex digits, one for each attempt. */
const ownReference = /^pay-[0-9a-f]{32}$/;

const refunds = () => parked("refunds are not handled yet");
const disputes = () => parked("disputes are not handled yet");
const payouts = () => parked("payouts are not handled yet");
const plans = () => parked("card subscriptions are not handled yet");
const noted = () => ignored("the money comes by its charge.success");

/** The events that are taken (payments text §6, and further ones that the gateway sends). */
const readers: Readonly<Record<string, (data: unknown) => Reading>> = {
	"charge.success": readCharge,
	"charge.dispute.create": disputes,
	"charge.dispute.remind": disputes,
	"charge.dispute.resolve": disputes,
	"refund.pending": refunds,
	"refund.processing": refunds,
	"refund.processed": refunds,
	"refund.failed": refunds,
	"refund.needs-attention": refunds,
	"transfer.success": payouts,
	"transfer.failed": payouts,
	"transfer.reversed": payouts,
	"invoice.create": noted,
	"invoice.update": plans,
	"invoice.payment_failed": plans,
	"subscription.create": plans,
	"subscription.disable": plans,
	"subscription.not_renew": plans,
	"subscription.expiring_cards": plans,
	"paymentrequest.success": noted,
};

/** Reads an event of the card gateway: `{event, data}`. Unknown events are ignored. Never throws. */
export function readEvent(body: unknown): Reading {
	const event = memberAt(body, "event");
	if (typeof event !== "string") return unreadable;
	const read = Object.hasOwn(readers, event) ? readers[event] : undefined;
	return read?.(memberAt(body, "data")) ?? ignored("the event is not one that the treasury takes");
}

function readCharge(data: unknown): Reading {
	const id = textOf(memberAt(data, "id"));
	const reference = textOf(memberAt(data, "reference"));
	const charged = readMinor(memberAt(data, "amount"));
	const currency = textOf(memberAt(data, "currency"));
	if (id === undefined || reference === undefined || charged === undefined || currency === undefined)
		return unreadable;
	if (!ownReference.test(reference)) return parked("the charge has no reference of ours");
	const said = paidByCharge({
		...{ id, amountMinor: charged, requestedMinor: readMinor(memberAt(data, "requested_amount")), currency },
		feesMinor: readMinor(memberAt(data, "fees")),
		channel: textOf(memberAt(data, "channel")),
		paidAt: textOf(memberAt(data, "paid_at")),
	});
	return {
		kind: "attempt",
		statement: {
			...{ reference, merchantRequestId: undefined, checkoutRequestId: undefined, phone: undefined },
			claimedTenantId: textOf(memberAt(memberAt(data, "metadata"), "tenant_id")),
			...{ said, eventKey: `charge.success|${id}|success` },
		},
	};
}

/** Lowest units, as a number or as text; undefined for anything else. */
function readMinor(value: unknown): bigint | undefined {
	const text = textOf(value);
	return text !== undefined && /^\d{1,15}$/.test(text) ? BigInt(text) : undefined;
}
