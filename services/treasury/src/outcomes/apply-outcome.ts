import type { Database } from "@lango/postgres";
import { closeExplained } from "../exceptions/exception.store.ts";
import {
	findAttempt,
	listAttempts,
	lockAttempt,
	nameAttempt,
	updateAttempt,
} from "../payments/attempt.store.ts";
import { type Attempt, type AttemptOutcome, isLive } from "../payments/attempt.ts";
import { lockIntent, type StoredIntent, updateIntent } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { recordIntentChanged } from "../payments/intent-events.ts";
import { endPromptGuard } from "../payments/prompt-guard.store.ts";
import { allocateReceipt } from "./collecting/allocate-receipt.ts";
import { outcomeOf } from "./collecting/attempt-outcome.ts";
import { collect } from "./collecting/collect.ts";
import { collectReceipt } from "./collecting/collect-receipt.ts";
import { countCharge } from "./collecting/count-charge.ts";
import { lockPayable } from "./collecting/lock-payable.ts";
import { recordEvidence } from "./evidence/evidence.store.ts";
import type {
	AllocationEvidence,
	BalanceEvidence,
	ChargeEvidence,
	Evidence,
	ReceiptEvidence,
} from "./evidence/evidence.ts";
import type { PayoutEvidence, PayoutsEvidence } from "./evidence/payout-evidence.ts";
import type { DisputeEvidence, RefundEvidence, RefundRequest } from "./evidence/refund-evidence.ts";
import type {
	AdjustmentEvidence,
	LineEvidence,
	SettlementEvidence,
	UnpaidEvidence,
	VarianceEvidence,
} from "./evidence/settling-evidence.ts";
import { alignMirror } from "./mirror/align-mirror.ts";
import { applyPayout } from "./payouts/apply-payout.ts";
import { applyToPayouts } from "./payouts/apply-to-payouts.ts";
import { applyDispute } from "./refunds/apply-dispute.ts";
import { applyToRefund, openRefund } from "./refunds/apply-refund.ts";
import { postAdjustment } from "./settlements/post-adjustment.ts";
import { postSettlement } from "./settlements/post-settlement.ts";
import { postVariance } from "./settlements/post-variance.ts";
import { settleReceipt } from "./settlements/settle-receipt.ts";
import { settleUnpaid } from "./settlements/settle-unpaid.ts";

/**
 * Applies a statement about an attempt, a receipt, a charge, what a receipt pays, a balance, a
 * settlement, an adjustment, a refund, a dispute or payouts: the only function that changes the state of
 * money. State, journal and events commit together. The same statement again, or an older one, changes
 * nothing. Call it inside the tenant. Throws an Error if the attempt does not exist, which is a bug.
 */
export function applyOutcome(
	tx: Database,
	evidence:
		| Evidence
		| ReceiptEvidence
		| AllocationEvidence
		| BalanceEvidence
		| ChargeEvidence
		| SettlementEvidence
		| VarianceEvidence
		| LineEvidence
		| AdjustmentEvidence
		| UnpaidEvidence
		| MoneyOut,
): Promise<void> {
	if ("money" in evidence) return collectReceipt(tx, evidence);
	if ("charge" in evidence) return countCharge(tx, evidence);
	if ("allocation" in evidence) return allocateReceipt(tx, evidence);
	if ("settlement" in evidence) return postSettlement(tx, evidence);
	if ("variance" in evidence) return postVariance(tx, evidence);
	if ("adjustment" in evidence) return postAdjustment(tx, evidence);
	if ("unpaid" in evidence) return settleUnpaid(tx, evidence);
	if ("line" in evidence) return settleReceipt(tx, evidence);
	if ("balance" in evidence) return alignMirror(tx, evidence);
	return "attemptId" in evidence ? applyToAttempt(tx, evidence) : applyToMoneyOut(tx, evidence);
}

type MoneyOut = RefundRequest | RefundEvidence | DisputeEvidence | PayoutEvidence | PayoutsEvidence;

function applyToMoneyOut(tx: Database, evidence: MoneyOut): Promise<void> {
	if ("newRefund" in evidence) return openRefund(tx, evidence);
	if ("refundSaid" in evidence) return applyToRefund(tx, evidence);
	if ("dispute" in evidence) return applyDispute(tx, evidence);
	return "payout" in evidence ? applyPayout(tx, evidence) : applyToPayouts(tx, evidence);
}

async function applyToAttempt(tx: Database, evidence: Evidence): Promise<void> {
	const { tenantId, attemptId, said, at } = evidence;
	const { intent, attempt } = await lockBoth(tx, evidence);
	const about = { objectKind: "attempt", objectId: attemptId } as const;
	const { source, sourceId } = evidence;
	const evidenceId = await recordEvidence(tx, { tenantId, ...about, source, sourceId, said, at });
	if (said.kind === "accepted") await nameAttempt(tx, { tenantId, id: attemptId, ...said });
	const outcome = outcomeOf(attempt.status, said);
	const channel = (said.kind === "paid" ? said.channel : undefined) ?? attempt.channel;
	if (outcome !== undefined) await updateAttempt(tx, { id: attemptId, channel, ...outcome }, at);
	if (outcome !== undefined && !isLive(outcome)) await freePhone(tx, attempt, outcome);
	if (said.kind === "paid")
		await collect(tx, { intent, attempt: { ...attempt, channel }, said, evidenceId, now: at });
	if (outcome?.status === "succeeded" && !isLive(attempt))
		await closeExplained(tx, { class: "missing_there", subject: attempt.reference, now: at });
	if (outcome === undefined) return;
	// Money may have changed the intent since it was locked.
	const followed = said.kind === "paid" ? await lockIntent(tx, intent.id) : intent;
	if (followed !== undefined) await followAttempts(tx, { intent: followed, outcome, now: at });
}

async function lockBoth(tx: Database, { tenantId, attemptId, of }: Evidence) {
	const found = of ?? (await findAttempt(tx, attemptId));
	if (found === undefined) throw new Error(`the attempt ${attemptId} does not exist`);
	const intent = await lockPayable(tx, { tenantId, intentId: found.intentId, payee: found.payee });
	const attempt = await lockAttempt(tx, attemptId);
	if (intent === undefined || attempt === undefined) throw new Error(`the attempt ${attemptId} was removed`);
	return { intent, attempt };
}

/** The status of an open intent says whether one of its attempts may still collect it. */
async function followAttempts(
	tx: Database,
	{ intent, outcome, now }: { intent: StoredIntent; outcome: AttemptOutcome; now: Date },
): Promise<void> {
	if (!isOpen(intent)) return;
	const attempts = isLive(outcome) ? [outcome] : await listAttempts(tx, [intent.id]);
	const status = openStatusOf(intent, attempts);
	if (status === intent.status) return;
	const changed = await updateIntent(tx, { ...intent, status }, now);
	await recordIntentChanged(tx, changed, now);
}

function openStatusOf({ receivedMinor }: StoredIntent, attempts: ReadonlyArray<Pick<Attempt, "status">>) {
	if (attempts.some(isLive)) return "processing" as const;
	return receivedMinor > 0n ? ("partially_paid" as const) : ("requires_payment" as const);
}

/**
 * The next prompt on this phone need not wait until the time of this one is over; for the same amount
 * only if this one never came to the phone.
 */
async function freePhone(tx: Database, attempt: Attempt, { status }: AttemptOutcome): Promise<void> {
	const { shortcode, phone, amountMinor, expiresAt: until } = attempt;
	if (shortcode === null || phone === null) return;
	await endPromptGuard(tx, { shortcode, phone, until });
	if (status === "rejected") await endPromptGuard(tx, { shortcode, phone, amountMinor, until });
}
