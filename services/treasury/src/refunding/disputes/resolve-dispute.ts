import { type AuditEntry, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { findDispute, findDisputeTenant, proposeEnd } from "../../disputes/dispute.store.ts";
import { type Dispute, type DisputeEnd, isOverdue } from "../../disputes/dispute.ts";
import { disputeFailures } from "../../disputes/failures.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { applyOutcome } from "../../outcomes/apply-outcome.ts";
import type { Treasury } from "../../treasury.ts";
import { isAgreed } from "../is-agreed.ts";
import { lockDispute } from "./lock-dispute.ts";

/** What an operator says became of a dispute. */
export type DisputeResolution = {
	disputeId: string;
	as: DisputeEnd;
	because: string;
	by: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/**
 * Decides what became of a dispute that is overdue: its event did not arrive, and the gateway does not say
 * how it ended. Two operators have to say the same. Throws `dispute_not_found`, `dispute_not_waiting` and
 * `resolver_is_proposer`.
 */
export async function resolveDispute({ db, now }: Treasury, resolution: DisputeResolution): Promise<Dispute> {
	const tenantId = await findDisputeTenant(db, resolution.disputeId);
	if (tenantId === undefined) throw disputeFailures.dispute_not_found();
	return retryConflicts(() => inTenant(db, tenantId, (tx) => decide(tx, resolution, now())));
}

async function decide(
	tx: Database,
	{ as, because, by, ...of }: DisputeResolution,
	at: Date,
): Promise<Dispute> {
	const { disputeId: id } = of;
	const dispute = await lockDispute(tx, id);
	if (dispute === undefined) throw disputeFailures.dispute_not_found();
	if (!isOverdue(dispute, at)) throw disputeFailures.dispute_not_waiting();
	const isDecided = dispute.proposedAs === as && isAgreed(dispute, by.actor.id, at);
	const { tenantId, receiptId, gatewayId, amountMinor } = dispute;
	if (isDecided)
		await applyOutcome(tx, {
			...{ tenantId, receiptId, source: "operator", sourceId: by.actor.id, at },
			dispute: { gatewayId, status: as, resolution: null, category: null, amountMinor, dueAt: undefined },
		});
	else await proposeEnd(tx, id, { as, by: by.actor.id, now: at });
	await recordAudit(tx, {
		...{ tenantId, at, ...by, action: "dispute.resolved", subject: id },
		detail: { as, because, is_decided: isDecided },
	});
	return (await findDispute(tx, id)) ?? dispute;
}
