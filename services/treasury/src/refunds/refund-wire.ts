import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import { type Refund, refundStatuses } from "./refund.ts";

const DateTime = Type.String({ format: "date-time" });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const RefundStatusWire = Type.Enum([...refundStatuses], {
	type: "string",
	description:
		"unknown: whether the gateway took it is being found out. needs_attention: the gateway waits for the platform owner",
});

/** A refund. */
export const RefundWire = Type.Object({
	id: Uuid,
	receipt_id: Uuid,
	payment_id: {
		...orNull(Uuid),
		description: "Null: of what the receipt has beside payments, or of several",
	},
	method: Type.Enum(["card", "reversal", "payout"], {
		type: "string",
		description: "How it is returned: by the card gateway, or of mobile money by a reversal or a payout",
	}),
	origin: Type.Enum(["request", "gateway"], {
		type: "string",
		description: "gateway: it was made at the gateway, without a request here",
	}),
	status: RefundStatusWire,
	needs_review: Type.Boolean({
		description: "The gateway did not say what became of it: the platform owner has to decide",
	}),
	proposed_by: {
		...orNull(Type.String()),
		description: "The operator who says that it failed: another one has to agree",
	},
	amount_minor: AmountMinor,
	currency: Currency,
	reason: Type.String(),
	customer_note: orNull(Type.String()),
	failure_code: { ...orNull(Type.String()), description: "The gateway's code, or ours, of why it failed" },
	created_at: DateTime,
	ended_at: orNull(DateTime),
	version: Type.Integer({ minimum: 1 }),
});

/** A refund as the API shows it. */
export const toRefundWire = (refund: Refund): Static<typeof RefundWire> => ({
	...{ id: refund.id, receipt_id: refund.receiptId, payment_id: refund.paymentId },
	...{ method: refund.method, origin: refund.origin, status: refund.status },
	...{ needs_review: refund.needsReview, proposed_by: refund.proposedBy },
	...{ amount_minor: toMinor(refund.amountMinor) },
	...{ currency: refund.currency, reason: refund.reason, customer_note: refund.customerNote },
	...{ failure_code: refund.failureCode, created_at: refund.createdAt.toISOString() },
	...{ ended_at: refund.endedAt?.toISOString() ?? null, version: refund.version },
});
