import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { raiseException } from "../../exceptions/raise-exception.ts";
import { lockAvailable } from "../../ledger/available.store.ts";
import { postRaising } from "../../ledger/post-raising.ts";
import type { Posting } from "../../ledger/postings/posting.ts";
import { toMinor } from "../../money/amount.ts";
import { lockPayout, namePayout, replaceLines, updatePayout } from "../../payouts/payout.store.ts";
import { isEnded, type Payout, splitGross, transferFeeOf } from "../../payouts/payout.ts";
import { recordPayoutChanged } from "../../payouts/payout-events.ts";
import { recordEvidence } from "../evidence/evidence.store.ts";
import type { EvidenceSource } from "../evidence/evidence.ts";
import type { PayoutEvidence, PayoutSaid } from "../evidence/payout-evidence.ts";
import { closeEnded } from "./close-ended.ts";
import { contradictPayout, isCorrected } from "./contradict-payout.ts";
import { fundsOf } from "./funds.store.ts";
import { keepReceipt } from "./keep-receipt.ts";
import { changeBy, insufficientBalance } from "./payout-change.ts";
import { chargesOf, learnFee } from "./payout-fee.ts";
import { differenceOf, type PayoutOutcome, payoutOutcomeOf } from "./payout-outcome.ts";
import { postingsOf } from "./payout-postings.ts";

/**
 * Applies a statement about a payout: state, journals and event commit together. The same statement
 * again, or one that is older than the state, changes nothing. Call it inside the tenant. Throws an
 * Error if the payout does not exist, which is a bug.
 */
export async function applyPayout(tx: Database, evidence: PayoutEvidence): Promise<void> {
	const { tenantId, payoutId, payout: said, source, sourceId, at } = evidence;
	await lockAvailable(tx, tenantId);
	const payout = await lockPayout(tx, payoutId);
	if (payout === undefined) throw new Error(`the payout ${payoutId} does not exist`);
	const about = { objectKind: "payout", objectId: payoutId } as const;
	const evidenceId = await recordEvidence(tx, { tenantId, ...about, source, sourceId, said, at });
	const applying = { payout, said, source, evidenceId, at };
	const difference = differenceOf(payout, said);
	if (difference !== undefined) return raiseDifference(tx, applying, difference);
	await namePayout(tx, { id: payoutId, ...namesOf(said) });
	if (said.kind === "in_flight" && said.oddWord !== undefined)
		await raiseStatus(tx, payout, { theirs: { status: said.oddWord }, isRepeatable: false, at });
	const isUnsent = said.kind === "not_sent" && source === "answer" && isFirstSending(payout);
	const outcome = (await isCorrected(tx, applying))
		? undefined
		: payoutOutcomeOf(isUnsent ? "submitting" : payout.status, said.kind);
	await (outcome === undefined ? keep(tx, applying) : change(tx, applying, outcome));
	if (source !== "operator") await keepReceipt(tx, applying, outcome);
}

/** The answer of the only sending may come after a question made the payout unknown. */
const isFirstSending = ({ status, sends }: Payout): boolean => status === "unknown" && sends === 1;

/** It stays as it is. */
async function keep(tx: Database, applying: Applying): Promise<void> {
	await contradictPayout(tx, applying);
	await learnFee(tx, applying);
}

type Applying = {
	payout: Payout;
	said: PayoutSaid;
	source: EvidenceSource;
	evidenceId: string;
	at: Date;
};

const namesOf = (said: PayoutSaid) => ({
	transferCode: "transferCode" in said ? said.transferCode : undefined,
	conversationId: "conversationId" in said ? said.conversationId : undefined,
	receipt: said.kind === "paid" ? said.receipt : undefined,
});

/**
 * Of a transfer of ours that differs nothing is booked, and a person has to look. What operators have booked
 * is not said again.
 */
async function raiseDifference(
	tx: Database,
	{ payout, said, at }: Applying,
	of: "amount" | "currency",
): Promise<void> {
	const { netMinor: amountMinor, currency, reference: subject, tenantId, id } = payout;
	const paid = said.kind === "paid" ? said : undefined;
	await raiseException(tx, {
		...{ class: of, subject, amountMinor, currency, now: at, isRepeatable: payout.status !== "paid" },
		ours: { tenant_id: tenantId, payout_id: id, amount_minor: toMinor(amountMinor), currency },
		theirs: {
			amount_minor: paid?.amountMinor === undefined ? null : toMinor(paid.amountMinor),
			currency: paid?.currency ?? null,
		},
	});
}

async function change(tx: Database, applying: Applying, { status, movement }: PayoutOutcome): Promise<void> {
	const { payout, said, at } = applying;
	const funds = await fundsOf(tx, payout.currency);
	const feeMinor = said.kind === "paid" ? said.feeMinor : undefined;
	const postings = postingsOf(payout, { movement, funds, feeMinor });
	const isLate = payout.rail === "card_gateway" && movement === "hold_late_and_pay";
	const amounts = isLate ? await splitAgain(tx, payout) : {};
	const changed = await updatePayout(
		tx,
		{ ...payout, ...changeBy(payout, said, at), ...amounts, status },
		at,
	);
	await post(tx, applying, postings);
	if (said.kind === "not_sent" && said.needsOperator)
		await raiseStatus(tx, changed, { theirs: { code: said.code }, isRepeatable: true, at });
	if (isEnded(status)) await closeEnded(tx, { ...applying, payout: changed });
	await enqueueNext(tx, changed, at);
	await recordPayoutChanged(tx, changed, at);
}

type Raising = { theirs: { code: string } | { status: string }; isRepeatable: boolean; at: Date };

/**
 * The gateway sends no payout until the platform owner has done something, or says a state that is not known.
 */
async function raiseStatus(
	tx: Database,
	payout: Payout,
	{ theirs, isRepeatable, at: now }: Raising,
): Promise<void> {
	const { netMinor: amountMinor, currency, reference: subject, tenantId, id } = payout;
	await raiseException(tx, {
		class: "code" in theirs && theirs.code === insufficientBalance ? "balance" : "status",
		...{ subject, amountMinor, currency, now, isRepeatable, theirs },
		ours: { tenant_id: tenantId, payout_id: id, amount_minor: toMinor(amountMinor), currency },
	});
}

/**
 * The fees that the released hold had deducted are due again: the late payout deducts its own fee
 * only.
 */
async function splitAgain(tx: Database, payout: Payout): Promise<Pick<Payout, "grossMinor" | "lines">> {
	const transferFeeMinor = transferFeeOf(payout);
	const grossMinor = payout.netMinor + transferFeeMinor;
	const { lines } = splitGross({ grossMinor, feesDueMinor: 0n, transferFeeMinor });
	await replaceLines(tx, { ...payout, lines });
	return { grossMinor, lines };
}

async function post(tx: Database, applying: Applying, postings: readonly Posting[]): Promise<void> {
	const { payout, said, evidenceId } = applying;
	const at = (said.kind === "paid" ? said.paidAt : undefined) ?? applying.at;
	const journals = [
		...postings.map((posting) => ({
			...{ ...posting, source: { type: "payout", id: payout.id }, evidenceId, at },
		})),
		...chargesOf(applying),
	];
	if (journals.length > 0) await postRaising(tx, payout.tenantId, journals);
}

/** The job that sends it, or the one that asks the gateway about it. */
async function enqueueNext(tx: Database, payout: Payout, at: Date): Promise<void> {
	const { id, tenantId, status, nextCheckAt } = payout;
	if (nextCheckAt === null || isEnded(status)) return;
	const name = status === "approved" ? "payouts.submit" : "payouts.query";
	const afterSeconds = Math.ceil(Math.max(0, nextCheckAt.getTime() - at.getTime()) / 1000);
	await enqueueJob(tx, { name }, { id, tenantId, afterSeconds });
}
