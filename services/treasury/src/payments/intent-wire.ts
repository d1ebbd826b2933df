import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import { maskPhone } from "../money/phone.ts";
import type { Attempt } from "./attempt.ts";
import type { StoredIntent } from "./intent.store.ts";
import { type PayPage, payUrlOf } from "./pay-code.ts";
import type { Payment } from "./payment.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

export const IntentStatusWire = Type.Enum(
	["requires_payment", "processing", "partially_paid", "succeeded", "expired", "cancelled"],
	{ type: "string" },
);

export const AttemptStatusWire = Type.Enum(
	["new", "submitting", "awaiting", "rejected", "unknown", "expired", "failed", "cancelled", "succeeded"],
	{ type: "string", description: "unknown: the gateway did not answer; it is being asked" },
);

/** An intent with its attempts and payments. */
export const IntentWire = Type.Object({
	id: Uuid,
	status: IntentStatusWire,
	payee: Type.Enum(["tenant", "platform"], {
		type: "string",
		description: "tenant: its own trade; platform: the tenant pays Lango",
	}),
	amount_minor: AmountMinor,
	received_minor: BalanceMinor,
	refunded_minor: BalanceMinor,
	currency: Currency,
	description: Type.String(),
	operation_id: Uuid,
	operation_kind: OrNull(Type.String({ description: "checkout, change, renewal, overage or top_up" })),
	order_id: OrNull(Type.String()),
	source_service: Type.String(),
	account_code: Type.String({ description: "The account number to pay to at the paybill" }),
	pay_url: Type.String({ description: "The page where anybody can pay it, without an account" }),
	channels: Type.Array(Type.String()),
	expires_at: DateTime,
	created_at: DateTime,
	attempts: Type.Array(
		Type.Object({
			id: Uuid,
			channel: Type.String(),
			status: AttemptStatusWire,
			amount_minor: AmountMinor,
			phone_masked: OrNull(Type.String()),
			reference: Type.String(),
			failure_code: OrNull(Type.String({ description: "The gateway's code of a refusal or a failure" })),
			created_at: DateTime,
		}),
	),
	payments: Type.Array(
		Type.Object({ id: Uuid, receipt_id: Uuid, amount_minor: AmountMinor, created_at: DateTime }),
	),
	version: Type.Integer(),
});

type Parts = { attempts: readonly Attempt[]; payments: readonly Payment[]; page: PayPage };

/** Writes an intent with those of the attempts and payments that are its own. */
export function toIntentWire(
	intent: StoredIntent,
	{ attempts, payments, page }: Parts,
): Static<typeof IntentWire> {
	return {
		...{ id: intent.id, status: intent.status, payee: intent.payee },
		amount_minor: toMinor(intent.amountMinor),
		received_minor: toMinor(intent.receivedMinor),
		refunded_minor: toMinor(intent.refundedMinor),
		...{ currency: intent.currency, description: intent.description },
		...{ operation_id: intent.operationId, operation_kind: intent.operationKind, order_id: intent.orderId },
		...{ source_service: intent.sourceService, account_code: intent.accountCode },
		...{ pay_url: payUrlOf(intent, page), channels: [...intent.channels] },
		expires_at: intent.expiresAt.toISOString(),
		created_at: intent.createdAt.toISOString(),
		attempts: attempts.filter(({ intentId }) => intentId === intent.id).map(attemptToWire),
		payments: payments
			.filter(({ intentId }) => intentId === intent.id)
			.map(({ id, receiptId, amountMinor, createdAt }) => ({
				...{ id, receipt_id: receiptId, amount_minor: toMinor(amountMinor) },
				created_at: createdAt.toISOString(),
			})),
		version: intent.version,
	};
}

const attemptToWire = (attempt: Attempt) => ({
	...{ id: attempt.id, channel: attempt.channel, status: attempt.status },
	...{ amount_minor: toMinor(attempt.amountMinor), reference: attempt.reference },
	phone_masked: attempt.phone === null ? null : maskPhone(attempt.phone),
	...{ failure_code: attempt.failureCode, created_at: attempt.createdAt.toISOString() },
});
