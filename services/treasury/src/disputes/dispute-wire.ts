import { Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import { AmountMinor, Currency, toMinor } from "../money/amount.ts";
import { type Dispute, disputeEnds, disputeStatuses } from "./dispute.ts";

const DateTime = Type.String({ format: "date-time" });
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const DisputeStatusWire = Type.Enum([...disputeStatuses], { type: "string" });
export const DisputeEndWire = Type.Enum([...disputeEnds], { type: "string" });

/** A dispute. */
export const DisputeWire = Type.Object({
	id: Uuid,
	receipt_id: Uuid,
	payment_id: { ...orNull(Uuid), description: "Null: the receipt did not become one payment" },
	status: DisputeStatusWire,
	amount_minor: AmountMinor,
	currency: Currency,
	category: { ...orNull(Type.String()), description: "The gateway's word, for example chargeback" },
	resolution: { ...orNull(Type.String()), description: "The gateway's word for how it ended" },
	due_at: { ...orNull(DateTime), description: "Without an answer until then it is lost" },
	note: orNull(Type.String()),
	created_at: DateTime,
	ended_at: orNull(DateTime),
	version: Type.Integer({ minimum: 1 }),
});

/** A dispute as the platform owner sees it, who answers it at the gateway. */
export const OperatorDisputeWire = Type.Object({
	...{ tenant_id: Uuid, gateway_id: Type.String({ description: "The id that the gateway gave it" }) },
	...DisputeWire.properties,
	proposed_as: {
		...orNull(DisputeEndWire),
		description: "What one operator says became of it; another one has to say the same",
	},
});

/** A dispute as the API shows it to the platform owner. */
export const toOperatorDisputeWire = (dispute: Dispute): Static<typeof OperatorDisputeWire> => ({
	...{ tenant_id: dispute.tenantId, gateway_id: dispute.gatewayId, ...toDisputeWire(dispute) },
	proposed_as: dispute.proposedAs,
});

/** A dispute as the API shows it. */
export const toDisputeWire = (dispute: Dispute): Static<typeof DisputeWire> => ({
	...{ id: dispute.id, receipt_id: dispute.receiptId, payment_id: dispute.paymentId },
	...{ status: dispute.status, amount_minor: toMinor(dispute.amountMinor), currency: dispute.currency },
	...{ category: dispute.category, resolution: dispute.resolution, note: dispute.note },
	due_at: dispute.dueAt?.toISOString() ?? null,
	created_at: dispute.createdAt.toISOString(),
	ended_at: dispute.endedAt?.toISOString() ?? null,
	version: dispute.version,
});
