import Type from "typebox";
import { Uuid } from "../values/shape.ts";
import { DateTime, event, OrNull, Version } from "./event.ts";

const source = "/treasury";
const Minor = Type.Integer({ minimum: 0, description: "In the currency's minor units" });
const Service = Type.String({ description: "The service that asked for the payment" });
const OrderId = OrNull(Type.String({ description: "What the payment is for, at that service" }));
/** The operation of the service that asked, else the id of the intent. */
const Payment = { operation_id: Uuid, tenant_id: Uuid };

export const treasuryPaymentSucceeded = event({
	type: "treasury.payment.succeeded",
	source,
	subject: "operation",
	because: "the payment of an operation succeeded",
	data: Type.Object({
		...Payment,
		payment_id: Uuid,
		amount_minor: Type.Integer({ description: "In the currency's minor units" }),
		currency: Type.String(),
		paid_at: DateTime,
		intent_id: Type.Optional(Uuid),
		source_service: Type.Optional(Service),
		order_id: Type.Optional(OrderId),
		channel: Type.Optional(Type.String({ description: "How the payer paid: mobile_money, card, …" })),
		receipt: Type.Optional(
			OrNull(Type.String({ description: "The gateway's receipt number; null if it is not known yet" })),
		),
	}),
});

export const treasuryPaymentFailed = event({
	type: "treasury.payment.failed",
	source,
	subject: "operation",
	because: "an attempt to collect the payment of an operation failed",
	data: Type.Object({
		...Payment,
		attempt: Type.Integer({ minimum: 1 }),
		reason: Type.String({ maxLength: 200 }),
		intent_id: Type.Optional(Uuid),
		amount_minor: Type.Optional(Minor),
		currency: Type.Optional(Type.String()),
		source_service: Type.Optional(Service),
	}),
});

/**
 * Whether a payment is of an operation of this service. A tenant collects payments of its own, and could
 * name the operation of a bill in them: the treasury lets it name no service that the platform is paid for.
 */
export const isAskedBy = (
	service: string,
	{ source_service = service }: { source_service?: string },
): boolean => source_service === service;

export const treasuryPaymentRequired = event({
	type: "treasury.payment.required",
	source,
	subject: "operation",
	because: "a person has to pay: the payment of an operation is not collected by itself",
	data: Type.Object({
		...Payment,
		intent_id: Uuid,
		amount_minor: Minor,
		currency: Type.String(),
		pay_url: Type.String({ description: "The page where anybody can pay without an account" }),
		expires_at: DateTime,
		because: Type.String({ maxLength: 200, description: "Why it is not collected by itself" }),
	}),
});

export const treasuryIntentChanged = event({
	type: "treasury.intent.changed",
	source,
	subject: "intent",
	because: "the state of an intent, or what was received or refunded for it, changed",
	data: Type.Object({
		intent_id: Uuid,
		tenant_id: Uuid,
		operation_id: OrNull(Uuid),
		order_id: OrderId,
		source_service: OrNull(Service),
		status: Type.Enum(
			["requires_payment", "processing", "partially_paid", "succeeded", "expired", "cancelled"],
			{ type: "string" },
		),
		received_minor: Minor,
		refunded_minor: Minor,
		version: Version,
	}),
});

export const treasuryStandingOrderChanged = event({
	type: "treasury.standing_order.changed",
	source,
	subject: "standing order",
	because: "the state of a standing order changed, or it was executed",
	data: Type.Object({
		standing_order_id: Uuid,
		tenant_id: Uuid,
		payee: Type.Enum(["tenant", "platform"], { type: "string" }),
		status: Type.Enum(["requested", "consent_pending", "active", "ended", "stopped", "failed"], {
			type: "string",
		}),
		needs_replacement: Type.Optional(
			Type.Boolean({
				description: "The bills have another amount or interval now: the payer has to consent again",
			}),
		),
		amount_minor: Type.Optional(Minor),
		currency: Type.Optional(Type.String()),
		replacement_minor: Type.Optional(
			Type.Integer({
				minimum: 0,
				description: "What a new order has to pay; only in the event by which needs_replacement begins",
			}),
		),
		version: Version,
	}),
});

export const treasuryCardSubscriptionChanged = event({
	type: "treasury.card_subscription.changed",
	source,
	subject: "card subscription",
	because: "the state of a card subscription changed, or its card was charged",
	data: Type.Object({
		card_subscription_id: Uuid,
		tenant_id: Uuid,
		payee: Type.Enum(["tenant", "platform"], { type: "string" }),
		status: Type.Enum(
			["creating", "active", "attention", "non_renewing", "disabled", "completed", "failed"],
			{ type: "string" },
		),
		version: Version,
	}),
});

export const treasuryCardExpiring = event({
	type: "treasury.card.expiring",
	source,
	subject: "card authorization",
	because: "a card that is charged by a card subscription expires soon",
	data: Type.Object({
		authorization_id: Uuid,
		tenant_id: Uuid,
		brand: Type.String(),
		last4: Type.String(),
		expires_on: Type.String({ format: "date", description: "The last day on which it can be charged" }),
		payee: Type.Optional(
			Type.Enum(["tenant", "platform"], {
				type: "string",
				description: "tenant: it pays for the tenant's trade; platform: it pays the tenant's bills",
			}),
		),
	}),
});

const ReturnedMembers = {
	tenant_id: Uuid,
	receipt_id: Uuid,
	payment_id: Type.Optional(Uuid),
	operation_id: Type.Optional(Uuid),
};

export const treasuryRefundChanged = event({
	type: "treasury.refund.changed",
	source,
	subject: "refund",
	because: "the state of a refund changed: money goes back to a payer, or did not",
	data: Type.Object({
		refund_id: Uuid,
		...ReturnedMembers,
		status: Type.Enum(
			[
				"requested",
				"submitting",
				"unknown",
				"pending",
				"processing",
				"needs_attention",
				"failed",
				"processed",
			],
			{ type: "string" },
		),
		amount_minor: Minor,
		currency: Type.String(),
		needs_review: Type.Boolean({ description: "The gateway does not say what became of it" }),
		version: Version,
	}),
});

export const treasuryDisputeChanged = event({
	type: "treasury.dispute.changed",
	source,
	subject: "dispute",
	because: "a payer disputes a payment, or the dispute was decided",
	data: Type.Object({
		dispute_id: Uuid,
		...ReturnedMembers,
		status: Type.Enum(["open", "reminded", "won", "lost"], { type: "string" }),
		amount_minor: Minor,
		currency: Type.String(),
		due_at: Type.Optional(DateTime),
		version: Version,
	}),
});

export const treasuryPayoutChanged = event({
	type: "treasury.payout.changed",
	source,
	subject: "payout",
	because: "the state of a payout changed",
	data: Type.Object({
		payout_id: Uuid,
		tenant_id: Uuid,
		status: Type.Enum(
			[
				...["awaiting_approval", "approved", "submitting", "unknown", "needs_otp", "in_flight"],
				...["failed", "rejected", "cancelled", "paid", "reversed"],
			],
			{ type: "string" },
		),
		amount_minor: Type.Integer({ minimum: 0, description: "What is paid, in the currency's minor units" }),
		currency: Type.String(),
		needs_review: Type.Boolean({ description: "The platform owner has to decide what became of it" }),
		version: Version,
	}),
});

export const treasuryReceiptUnallocated = event({
	type: "treasury.receipt.unallocated",
	source,
	subject: "receipt",
	because: "money arrived that pays no intent: somebody has to allocate it",
	data: Type.Object({
		receipt_id: Uuid,
		tenant_id: Uuid,
		amount_minor: Minor,
		currency: Type.String(),
		account_ref: OrNull(
			Type.String({ description: "What the payer entered as the account; a phone is masked" }),
		),
	}),
});

export const treasuryExceptionRaised = event({
	type: "treasury.exception.raised",
	source,
	subject: "exception",
	because: "two sources disagree about money: the platform owner has to decide",
	data: Type.Object({
		exception_id: Uuid,
		class: Type.String({ description: "What differs: amount, currency, missing_here, …" }),
		amount_minor: Type.Integer({ description: "In the currency's minor units" }),
		currency: Type.String(),
	}),
});
