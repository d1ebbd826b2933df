import { memberAt, textOf } from "../../../inbox/read-body.ts";
import { ignored, parked, type Reading, unreadable } from "../../../inbox/reading.ts";
import { readMinor } from "../read-minor.ts";
import { paidByCharge } from "../said-by-charge.ts";
import { saidByTransfer } from "../said-by-transfer.ts";
import { readCard } from "./read-card.ts";
import { readDisputeEvent } from "./read-dispute.ts";
import { readRefund } from "./read-refund.ts";
import {
	readExpiring,
	readInvoice,
	readSubscription,
	saidByEnd,
	saidByInvoice,
} from "./read-subscription.ts";

/** Our references of payouts: `out-` and 32 hex digits. */
const ownTransfer = /^out-[0-9a-f]{32}$/;

const noted = () => ignored("the money comes by its charge.success");

/** The events that are taken (payments text §6, and further ones that the gateway sends). */
const readers: Readonly<Record<string, (data: unknown) => Reading>> = {
	"charge.success": readCharge,
	"charge.dispute.create": readDisputeEvent("open"),
	"charge.dispute.remind": readDisputeEvent("reminded"),
	"charge.dispute.resolve": readDisputeEvent(undefined),
	"refund.pending": readRefund("pending"),
	"refund.processing": readRefund("processing"),
	"refund.processed": readRefund("processed"),
	"refund.failed": readRefund("failed"),
	"refund.needs-attention": readRefund("needs-attention"),
	"transfer.success": readTransfer,
	"transfer.failed": readTransfer,
	"transfer.reversed": readTransfer,
	"invoice.create": readInvoice(() => undefined),
	"invoice.update": readInvoice(saidByInvoice),
	"invoice.payment_failed": readInvoice(() => ({ kind: "charge_failed" })),
	"subscription.create": readSubscription(() => ({ kind: "created" })),
	"subscription.disable": readSubscription(saidByEnd),
	"subscription.not_renew": readSubscription(() => ({ kind: "not_renewed" })),
	"subscription.expiring_cards": readExpiring,
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
			...{ said, card: readCard(data), eventKey: `charge.success|${id}|success` },
		},
	};
}

/** Its status repeats the name of the event. */
function readTransfer(data: unknown): Reading {
	const id = textOf(memberAt(data, "id"));
	const reference = textOf(memberAt(data, "reference"));
	const status = textOf(memberAt(data, "status"));
	if (id === undefined || reference === undefined || status === undefined) return unreadable;
	if (!ownTransfer.test(reference)) return parked("the transfer has no reference of ours");
	const amountMinor = readMinor(memberAt(data, "amount"));
	const currency = textOf(memberAt(data, "currency"));
	const said = saidByTransfer({
		...{ status, amountMinor, currency, transferCode: textOf(memberAt(data, "transfer_code")) },
		feeMinor: readMinor(memberAt(data, "fee_charged")),
	});
	const eventKey = `transfer|${id}|${status}`;
	return { kind: "transfer", statement: { reference, amountMinor, currency, said, eventKey } };
}
