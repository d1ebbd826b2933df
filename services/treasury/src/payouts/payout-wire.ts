import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, BalanceMinor, Currency, toMinor } from "../money/amount.ts";
import { type Payout, payoutStatuses } from "./payout.ts";
import type { PayoutApproval } from "./payout-approval.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DateTime = Type.String({ format: "date-time" });

export const PayoutStatusWire = Type.Enum([...payoutStatuses], {
	type: "string",
	description: "unknown: the gateway did not answer; it is being asked",
});

/** A payout with its lines and the decisions about it. */
export const PayoutWire = Type.Object({
	id: Uuid,
	batch_id: OrNull(Uuid),
	rail: Type.Enum(["card_gateway", "mobile_money"], { type: "string" }),
	kind: Type.Enum(["recipient", "customer", "personal_till", "business", "own_working"], { type: "string" }),
	recipient_id: OrNull(Uuid),
	to: Type.String({ description: "Where it goes: the name of the recipient, and the masked number" }),
	command: OrNull(
		Type.String({
			description:
				"How the mobile-money gateway pays it; null: the card gateway pays it, or its tenant was deleted",
		}),
	),
	account: OrNull(Type.String({ description: "The account, which a paybill needs" })),
	remarks: OrNull(Type.String({ description: "What a mobile-money payout is for" })),
	status: PayoutStatusWire,
	gross_minor: AmountMinor,
	net_minor: AmountMinor,
	currency: Currency,
	lines: Type.Array(
		Type.Object({
			kind: Type.Enum(["gross", "collection_fee", "transfer_fee"], { type: "string" }),
			amount_minor: BalanceMinor,
		}),
		{ description: "The gross amount, less fees; their sum is the net amount" },
	),
	reference: Type.String(),
	receipt: OrNull(Type.String({ description: "The number of the mobile-money gateway" })),
	failure_code: OrNull(Type.String({ description: "The gateway's code of a refusal or a failure" })),
	needs_review: Type.Boolean({
		description: "The gateway did not say what became of it: the platform owner has to decide",
	}),
	approvals: Type.Array(
		Type.Object({
			by: Type.String(),
			decision: Type.Enum(["approved", "rejected", "resolve_paid", "resolve_failed"], { type: "string" }),
			because: OrNull(Type.String()),
			at: DateTime,
		}),
	),
	created_by: Type.String(),
	created_at: DateTime,
	ended_at: OrNull(DateTime),
	version: Type.Integer(),
});

/** Writes a payout with those of the decisions that are its own. */
export function toPayoutWire(
	payout: Payout,
	approvals: readonly PayoutApproval[],
): Static<typeof PayoutWire> {
	return {
		...{ id: payout.id, batch_id: payout.batchId, rail: payout.rail, kind: payout.kind },
		...{ recipient_id: payout.recipientId, status: payout.status },
		to: [payout.recipientName ?? [], payout.toMasked].flat().join(" "),
		...(payout.instruction ?? { command: null, account: null, remarks: null }),
		...{ gross_minor: toMinor(payout.grossMinor), net_minor: toMinor(payout.netMinor) },
		currency: payout.currency,
		lines: payout.lines.map(({ kind, amountMinor }) => ({ kind, amount_minor: toMinor(amountMinor) })),
		...{ reference: payout.reference, receipt: payout.receipt, failure_code: payout.failureCode },
		needs_review: payout.needsReview,
		approvals: approvals
			.filter(({ payoutId }) => payoutId === payout.id)
			.map(({ by, decision, because, at }) => ({ by: by.id, decision, because, at: at.toISOString() })),
		...{ created_by: payout.createdBy.id, created_at: payout.createdAt.toISOString() },
		...{ ended_at: payout.endedAt?.toISOString() ?? null, version: payout.version },
	};
}
