import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import type { CollectedPayment } from "./collected-payment.store.ts";

const DateTime = Type.String({ format: "date-time" });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const GatewayWire = Type.Enum(["mobile_money", "card_gateway"], { type: "string" });
export const ReceiptChannelWire = Type.Enum(
	["push", "account", "card", "bank_transfer", "mobile_money", "ussd", "checkout"],
	{
		type: "string",
		description:
			"account: at the paybill or till, without a prompt. checkout: the gateway did not say how it was paid",
	},
);
export const ReceiptNumberWire = {
	...orNull(Type.String()),
	description: "The gateway's number of it. Null while only the payment of a prompt is known",
};
export const PayerWire = { ...orNull(Type.String()), description: "The phone that paid, masked" };

/** A payment: a receipt, or the part of one, that was counted for an intent of the tenant's own trade. */
export const PaymentWire = Type.Object({
	id: Uuid,
	intent_id: Uuid,
	operation_id: Uuid,
	order_id: orNull(Type.String()),
	description: Type.String(),
	amount_minor: AmountMinor,
	refunded_minor: BalanceMinor,
	currency: Currency,
	channel: ReceiptChannelWire,
	fee_minor: Type.Integer({
		minimum: 0,
		description: "What the card gateway keeps of it, passed on to the tenant. Mobile money has no fee here",
	}),
	is_fee_estimated: Type.Boolean({ description: "Whether the gateway has not said yet what it keeps" }),
	receipt: Type.Object({
		id: Uuid,
		receipt: ReceiptNumberWire,
		gateway: GatewayWire,
		shortcode: orNull(Type.String()),
		payer_masked: PayerWire,
		occurred_at: { ...DateTime, description: "When the money moved, as the gateway says" },
	}),
	created_at: DateTime,
});

/** A payment as the API shows it. */
export const toPaymentWire = (payment: CollectedPayment): Static<typeof PaymentWire> => ({
	...{ id: payment.id, intent_id: payment.intent.id, operation_id: payment.intent.operationId },
	...{ order_id: payment.intent.orderId, description: payment.intent.description },
	...{ amount_minor: toMinor(payment.amountMinor), refunded_minor: toMinor(payment.refundedMinor) },
	...{ currency: payment.currency, channel: payment.receipt.channel },
	...{ fee_minor: toMinor(payment.feeMinor), is_fee_estimated: payment.isFeeEstimated },
	receipt: {
		...{ id: payment.receipt.id, receipt: payment.receipt.receipt, gateway: payment.receipt.gateway },
		...{ shortcode: payment.receipt.shortcode, payer_masked: payment.receipt.payerMasked },
		occurred_at: payment.receipt.occurredAt.toISOString(),
	},
	created_at: payment.createdAt.toISOString(),
});
