import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import type { Payment } from "../payments/payment.store.ts";
import { placeOf, type Receipt, receiptKinds, receiptPlaces, unallocatedOf } from "../receipts/receipt.ts";
import { GatewayWire, PayerWire, ReceiptChannelWire, ReceiptNumberWire } from "./payment-wire.ts";

const DateTime = Type.String({ format: "date-time" });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const ReceiptStateWire = Type.Enum([...receiptPlaces], {
	type: "string",
	description:
		"unverified: only said to have moved, and counted nowhere. unallocated: a part of it or all of it pays nothing yet. allocated: all of it is used",
});

export const ReceiptKindWire = Type.Enum([...receiptKinds], {
	type: "string",
	description:
		"collection: what a payer paid. payout: what was paid out. reversal: a payment that was returned, or a payout that came back",
});

/** A receipt with the payments that were made of it. */
export const ReceiptWire = Type.Object({
	id: Uuid,
	kind: ReceiptKindWire,
	state: ReceiptStateWire,
	receipt: ReceiptNumberWire,
	gateway: GatewayWire,
	channel: ReceiptChannelWire,
	custody: Type.Enum(["tenant", "platform"], {
		type: "string",
		description: "Whose account has the money: the tenant's own shortcode, or one of the platform",
	}),
	shortcode: orNull(Type.String()),
	amount_minor: AmountMinor,
	allocated_minor: BalanceMinor,
	platform_minor: { ...BalanceMinor, description: "What of it was paid to the platform, for bills" },
	refunded_minor: BalanceMinor,
	unallocated_minor: Type.Integer({
		minimum: 0,
		description: "What of it can be allocated: 0 while it is not verified",
	}),
	returnable_minor: Type.Integer({
		minimum: 0,
		description:
			"What a refund of it returns at most: what can be allocated, else what is left of what was paid to the platform, which only its owner returns",
	}),
	currency: Currency,
	fee_minor: Type.Integer({ minimum: 0, description: "What the card gateway keeps of it" }),
	is_fee_estimated: Type.Boolean({ description: "Whether the gateway has not said yet what it keeps" }),
	account_ref: { ...orNull(Type.String()), description: "What the payer typed as the account number" },
	payer_masked: PayerWire,
	flag: orNull(
		Type.Enum(["standing_order_closed"], {
			type: "string",
			description:
				"Why a person should look at it: the wallet executed an order that is stopped or has ended",
		}),
	),
	occurred_at: { ...DateTime, description: "When the money moved, as the gateway says" },
	payout_id: { ...orNull(Uuid), description: "The payout whose money moved" },
	refund_id: { ...orNull(Uuid), description: "The refund whose money moved" },
	payments: Type.Array(
		Type.Object({ id: Uuid, intent_id: orNull(Uuid), amount_minor: AmountMinor, created_at: DateTime }),
	),
	created_at: DateTime,
});

/**
 * A receipt as the API shows it, with those of the payments that were made of it. `takenMinor`: what was
 * returned, or is being returned, of what it paid to the platform.
 */
export const toReceiptWire = (
	receipt: Receipt,
	{ payments, takenMinor }: { payments: readonly Payment[]; takenMinor: bigint },
): Static<typeof ReceiptWire> => ({
	...{ id: receipt.id, kind: receipt.kind, state: placeOf(receipt) },
	...{ receipt: receipt.receipt, gateway: receipt.gateway },
	...{ channel: receipt.channel, custody: receipt.custody, shortcode: receipt.shortcode },
	...{ amount_minor: toMinor(receipt.amountMinor), allocated_minor: toMinor(receipt.allocatedMinor) },
	...{ platform_minor: toMinor(receipt.platformMinor), refunded_minor: toMinor(receipt.refundedMinor) },
	unallocated_minor: allocatableOf(receipt),
	returnable_minor: allocatableOf(receipt) || Math.max(0, toMinor(receipt.platformMinor - takenMinor)),
	...{ currency: receipt.currency, fee_minor: toMinor(receipt.feeMinor) },
	...{ is_fee_estimated: receipt.isFeeEstimated, account_ref: receipt.accountRef },
	flag: receipt.flag,
	payout_id: receipt.moved?.kind === "payout" ? receipt.moved.id : null,
	refund_id: receipt.moved?.kind === "refund" ? receipt.moved.id : null,
	...{ payer_masked: receipt.payerMasked, occurred_at: receipt.occurredAt.toISOString() },
	payments: payments
		.filter(({ receiptId }) => receiptId === receipt.id)
		.map(({ id, intentId, amountMinor, createdAt }) => ({
			...{ id, intent_id: intentId, amount_minor: toMinor(amountMinor) },
			created_at: createdAt.toISOString(),
		})),
	created_at: receipt.createdAt.toISOString(),
});

const allocatableOf = (receipt: Receipt): number =>
	receipt.state === "verified" ? toMinor(unallocatedOf(receipt)) : 0;
