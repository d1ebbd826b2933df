import { Failure } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import { lockAvailable } from "../ledger/available.store.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { PayoutSaid } from "../outcomes/evidence/payout-evidence.ts";
import { findPayout, lockPayout, recordResend, scheduleNext, updatePayout } from "../payouts/payout.store.ts";
import { isSent, otpSeconds, type Payout, rankOf } from "../payouts/payout.ts";
import { recordPayoutChanged } from "../payouts/payout-events.ts";
import { askGateway } from "../queries/ask-gateway.ts";
import { ladders } from "../recovery/ladder.ts";
import { verifyPayout } from "../recovery/verify-payout.ts";
import type { Treasury } from "../treasury.ts";
import { isSendingStopped } from "./sending/obstacle.ts";
import { sendTransfer } from "./sending/send-transfer.ts";

type Asking = {
	tenantId: string;
	payoutId: string;
	/** Whether a sender who is not trusted is the reason: the schedule of the questions stays as it is. */
	isHint?: boolean;
};

/**
 * Asks the gateway what became of a payout that was sent, and schedules the next question while it is
 * not known. After the last one it needs a review, and what it holds stays held.
 */
export async function findOutPayout(
	domain: Treasury,
	{ tenantId, payoutId, isHint = false }: Asking,
): Promise<void> {
	const { db } = domain;
	const payout = await inTenant(db, tenantId, (tx) => findPayout(tx, payoutId));
	if (payout === undefined || !mayAsk(payout, isHint)) return;
	// The process ended before it read the answer: whether it was sent is not known.
	if (payout.status === "submitting") await say(domain, payout, { kind: "unknown", because: "no_answer" });
	await (payout.rail === "card_gateway"
		? askAboutTransfer(domain, payout)
		: askAboutRequest(domain, payout, isHint));
	if (!isHint) await retryConflicts(() => inTenant(db, tenantId, (tx) => schedule(tx, domain, payout)));
}

/** A sender who is not trusted may know of a success that we do not, whatever the payout is here. */
const mayAsk = ({ status }: Payout, isHint: boolean): boolean =>
	isHint ? rankOf[status] < rankOf.paid : isSent(status);

const say = ({ db, now }: Treasury, { tenantId, id: payoutId }: Payout, said: PayoutSaid): Promise<void> =>
	retryConflicts(() =>
		inTenant(db, tenantId, (tx) =>
			applyOutcome(tx, {
				...{ tenantId, payoutId, source: "query", sourceId: undefined, at: now() },
				payout: said,
			}),
		),
	);

async function askAboutTransfer(domain: Treasury, payout: Payout): Promise<void> {
	const said = await verifyPayout(domain, payout.reference);
	if (said === "missing") return resend(domain, payout);
	if (said !== undefined) await say(domain, payout, said);
}

const resendAfterMs = 10 * 60_000;

/**
 * The gateway has no transfer with the reference. Ten minutes after it was sent, it is sent once more
 * with the same reference: if the first one comes late, the gateway refuses the second. A refusal
 * proves nothing then.
 */
async function resend(domain: Treasury, payout: Payout): Promise<void> {
	const { db, now, gateways } = domain;
	const { tenantId, id, submittedAt } = payout;
	if (submittedAt === null || now().getTime() - submittedAt.getTime() < resendAfterMs) return;
	const gateway = await gateways.findCardGateway();
	if (gateway === undefined) return;
	const isTaken = await inTenant(db, tenantId, async (tx) => {
		await lockAvailable(tx, tenantId);
		return !(await isSendingStopped(tx)) && (await recordResend(tx, id));
	});
	if (!isTaken) return;
	const said = await sendTransfer(gateway, payout);
	if (said.kind !== "not_sent" && said.kind !== "failed") await say(domain, payout, said);
}

/** The answer comes by a callback. A gateway that does not take the question is asked again later. */
async function askAboutRequest(domain: Treasury, payout: Payout, isHint: boolean): Promise<void> {
	const { tenantId, reference: originatorId, shortcode } = payout;
	await askGateway(domain, {
		...{ tenantId, shortcodeOf: tenantId, shortcode: shortcode ?? undefined, isHint },
		...{ about: { kind: "status", originatorId }, createdBy: { kind: "service", id: "payouts" } },
	}).catch((error) => {
		if (!(error instanceof Failure)) throw error;
	});
}

/** When the gateway is asked again, in seconds since the payout was sent. */
const rungsOf = ({ status }: Payout): readonly number[] =>
	status === "needs_otp" ? [...ladders.payout, otpSeconds].toSorted((a, b) => a - b) : ladders.payout;

async function schedule(tx: Database, { now }: Treasury, { tenantId, id }: Payout): Promise<void> {
	await lockAvailable(tx, tenantId);
	const payout = await lockPayout(tx, id);
	if (payout === undefined || !isSent(payout.status) || payout.submittedAt === null) return;
	const [at, submittedAt, checks] = [now(), payout.submittedAt.getTime(), payout.checks + 1];
	const age = at.getTime() - submittedAt;
	const rung = rungsOf(payout).find((seconds) => seconds * 1000 > age);
	const nextCheckAt = rung === undefined ? null : new Date(submittedAt + rung * 1000);
	const isForgotten = payout.status === "needs_otp" && age >= otpSeconds * 1000;
	if (rung === undefined || isForgotten) await review(tx, { ...payout, checks, nextCheckAt }, at);
	else await scheduleNext(tx, { id, checks, nextCheckAt });
	if (nextCheckAt === null) return;
	const afterSeconds = Math.ceil((nextCheckAt.getTime() - at.getTime()) / 1000);
	await enqueueJob(tx, { name: "payouts.query" }, { id, tenantId, afterSeconds });
}

/** A person has to look: the gateway did not say what became of it, or waits for a one-time password. */
async function review(tx: Database, payout: Payout, now: Date): Promise<void> {
	const { tenantId, id, netMinor: amountMinor, currency, reference: subject, status } = payout;
	if (payout.needsReview) return scheduleNext(tx, payout);
	const changed = await updatePayout(tx, { ...payout, needsReview: true }, now);
	await recordPayoutChanged(tx, changed, now);
	await raiseException(tx, {
		...{ class: "missing_there", subject, amountMinor, currency, now, isRepeatable: true },
		ours: { tenant_id: tenantId, payout_id: id, status, amount_minor: toMinor(amountMinor), currency },
		theirs: {},
	});
}
