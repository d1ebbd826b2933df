import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import { lockDisputeOf, recordDispute, updateDispute } from "../../disputes/dispute.store.ts";
import { type Dispute, disputeRanks, isOverdue, overdueException } from "../../disputes/dispute.ts";
import { recordDisputeChanged } from "../../disputes/dispute-events.ts";
import { closeExplained } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { listParts } from "../../holds/hold.store.ts";
import { toMinor } from "../../money/amount.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { DisputeEvidence, DisputeSaid } from "../evidence/refund-evidence.ts";
import { operationOf } from "./apply-refund.ts";
import { type Holding, holdMoney, releaseMoney, returnPart } from "./hold-money.ts";
import { lockReturnable } from "./lock-returnable.ts";
import { type Returnable, takeParts } from "./take-parts.ts";

/**
 * Applies a statement about a dispute: the first one holds the money, also if the tenant has to owe it;
 * one that is won gives it back, one that is lost takes out of the books what the payer gets. Call it
 * inside the tenant. Throws an Error if the receipt does not exist, which is a bug.
 */
export async function applyDispute(tx: Database, evidence: DisputeEvidence): Promise<void> {
	const { tenantId, receiptId, dispute: said, at } = evidence;
	const returnable = await lockReturnable(tx, tenantId, receiptId);
	if (returnable === undefined) throw new Error(`the receipt ${receiptId} does not exist`);
	const dispute = (await lockDisputeOf(tx, said.gatewayId)) ?? (await open(tx, evidence, returnable));
	const isLater = disputeRanks[said.status] > disputeRanks[dispute.status];
	if (!isLater && !isMoved(evidence, dispute)) return contradict(tx, { dispute, said, at });
	const evidenceId = await record(tx, evidence, dispute.id);
	const { resolution, dueAt = null } = said;
	const { status } = isLater ? said : dispute;
	const changed = await updateDispute(tx, dispute.id, { status, resolution, dueAt, now: at });
	const holding = holdingOf(dispute.id, returnable, { evidenceId, now: at });
	if (status === "won") await releaseMoney(tx, holding);
	if (status === "lost") await lose(tx, { dispute, holding }, said);
	if (!isOverdue(changed, at)) await closeExplained(tx, { ...overdueException(dispute.id), now: at });
	await publish(tx, changed, at);
}

/** The gateway answers that an open one is due at another time. An event may be an old one. */
const isMoved = ({ source, dispute: said }: DisputeEvidence, { status, dueAt }: Dispute): boolean =>
	source === "query" &&
	said.dueAt !== undefined &&
	said.dueAt.getTime() !== dueAt?.getTime() &&
	[said.status, status].every((one) => disputeRanks[one] < disputeRanks.won);

/** It has ended otherwise, for example by the word of operators: that stays, and a person has to look. */
async function contradict(
	tx: Database,
	{ dispute, said, at }: { dispute: Dispute; said: DisputeSaid; at: Date },
): Promise<void> {
	const { id, tenantId, receiptId: receipt_id, gatewayId, amountMinor, currency, status } = dispute;
	if (disputeRanks[said.status] < disputeRanks.won || said.status === status) return;
	await raiseException(tx, {
		...{ class: "status", subject: `dispute ${id} ${said.status}`, amountMinor, currency, now: at },
		ours: { tenant_id: tenantId, dispute_id: id, receipt_id, status, currency },
		theirs: { dispute: gatewayId, status: said.status },
	});
}

type Losing = { dispute: Dispute; holding: Holding };

/**
 * The payer gets what the gateway says, of what is held. More than that has to be explained by a person.
 */
async function lose(
	tx: Database,
	{ dispute, holding }: Losing,
	{ returnedMinor = dispute.amountMinor }: DisputeSaid,
): Promise<void> {
	const { id, tenantId, receiptId: receipt_id, amountMinor, currency } = dispute;
	await returnPart(tx, holding, returnedMinor);
	if (returnedMinor <= amountMinor) return;
	await raiseException(tx, {
		...{ class: "amount", subject: `dispute ${id}`, now: holding.now, currency },
		amountMinor: returnedMinor - amountMinor,
		ours: { tenant_id: tenantId, dispute_id: id, receipt_id, amount_minor: toMinor(amountMinor), currency },
		theirs: { dispute: dispute.gatewayId, amount_minor: toMinor(returnedMinor), currency },
	});
}

const holdingOf = (
	objectId: string,
	{ receipt }: Returnable,
	about: Pick<Holding, "evidenceId" | "now">,
): Holding => ({ objectKind: "dispute", objectId, receipt, ...about });

const record = (
	tx: Database,
	{ tenantId, dispute: said, source, sourceId, at }: DisputeEvidence,
	objectId: string,
): Promise<string> =>
	recordEvidence(tx, { tenantId, objectKind: "dispute", objectId, source, sourceId, said, at });

async function open(tx: Database, evidence: DisputeEvidence, returnable: Returnable): Promise<Dispute> {
	const { tenantId, receiptId, dispute: said, at } = evidence;
	const { amountMinor, gatewayId, category, dueAt = null } = said;
	const { receipt } = returnable;
	const parts = takeParts(returnable, { of: "whole", amountMinor, paymentId: null });
	const [part] = parts;
	const dispute = await recordDispute(tx, {
		...{ tenantId, id: uuidV7(at), gatewayId, receiptId, amountMinor, category, dueAt },
		paymentId: parts.length === 1 ? (part?.paymentId ?? null) : null,
		...{ currency: receipt.currency, createdAt: at },
	});
	const evidenceId = await record(tx, { ...evidence, dispute: { ...said, status: "open" } }, dispute.id);
	const holding = holdingOf(dispute.id, returnable, { evidenceId, now: at });
	await holdMoney(tx, { ...holding, parts, mayBeDebt: true });
	await publish(tx, dispute, at);
	return dispute;
}

async function publish(tx: Database, dispute: Dispute, now: Date): Promise<void> {
	const operationId = await operationOf(tx, await listParts(tx, dispute.id));
	await recordDisputeChanged(tx, { dispute, operationId, now });
}
