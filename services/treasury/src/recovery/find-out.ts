import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { Evidence, Paid } from "../outcomes/evidence/evidence.ts";
import { findAttempt, scheduleCheck } from "../payments/attempt.store.ts";
import { type Attempt, isLive } from "../payments/attempt.ts";
import { findIntent } from "../payments/intent.store.ts";
import type { Treasury } from "../treasury.ts";
import { askCheckout } from "./ask-checkout.ts";
import { askPrompt } from "./ask-prompt.ts";
import { ladders } from "./ladder.ts";

type Asking = {
	tenantId: string;
	attemptId: string;
	/** Whether it is asked about once more, and the next question comes when it would have come anyway. */
	keepsSchedule?: boolean;
};

/**
 * Asks the gateway what became of an attempt, and schedules the next question while it is not known, unless
 * the schedule is kept.
 */
export async function findOutAttempt(domain: Treasury, asking: Asking): Promise<void> {
	const { db, now } = domain;
	const { tenantId, attemptId, keepsSchedule = false } = asking;
	const [attempt, intent] = await inTenant(db, tenantId, async (tx) => {
		const found = await findAttempt(tx, attemptId);
		return [found, found && isLive(found) ? await findIntent(tx, found.intentId) : undefined] as const;
	});
	if (attempt === undefined || intent === undefined) return;
	const said =
		attempt.channel === "push"
			? await askPrompt(domain, attempt, { payee: intent.payee, isHint: false })
			: await askCheckout(domain, attempt);
	if (keepsSchedule && said === undefined) return;
	const at = now();
	const from = { source: "query" as const, sourceId: undefined };
	const evidence = said && { tenantId, attemptId, of: attempt, ...from, said, at };
	const conclusion = { attempt, currency: intent.currency, evidence, at };
	await retryConflicts(() => inTenant(db, tenantId, (tx) => conclude(tx, conclusion)));
	domain.counts.queried(said === undefined ? "open" : "ended");
	if (said?.kind === "paid") countConfirmed(domain, attempt, said);
}

/** A query about a prompt does not say when it was paid. */
function countConfirmed({ counts }: Treasury, { channel, submittedAt }: Attempt, said: Paid): void {
	const gateway = channel === "push" ? "mobile_money" : "card_gateway";
	const paidAt = said.paidAt ?? submittedAt;
	if (paidAt !== null) counts.confirmed({ gateway, by: "query", paidAt });
}

type Conclusion = { attempt: Attempt; currency: string; evidence: Evidence | undefined; at: Date };

async function conclude(tx: Database, { evidence, ...open }: Conclusion): Promise<void> {
	if (evidence !== undefined) return applyOutcome(tx, evidence);
	const { attempt, at } = open;
	const { tenantId, id, checks, submittedAt, channel } = attempt;
	const next = (channel === "push" ? ladders.push : ladders.checkout)[checks + 1];
	if (next === undefined) return giveUp(tx, open);
	const nextCheckAt = soonerOf(attempt, new Date((submittedAt ?? at).getTime() + next * 1000), at);
	await scheduleCheck(tx, { id, checks: checks + 1, nextCheckAt });
	const afterSeconds = Math.max(1, Math.ceil((nextCheckAt.getTime() - at.getTime()) / 1000));
	await enqueueJob(tx, { name: "attempts.query" }, { id, tenantId, afterSeconds });
}

/** The gateway has not said within the time of all questions what became of it: a person has to look. */
async function giveUp(tx: Database, { attempt, currency, at }: Omit<Conclusion, "evidence">): Promise<void> {
	const { tenantId, id, intentId, amountMinor, shortcode, reference: subject } = attempt;
	const about = { tenantId, attemptId: id, source: "query", sourceId: undefined, at } as const;
	await applyOutcome(tx, { ...about, said: { kind: "expired" } });
	if ((await findAttempt(tx, id))?.status !== "expired") return;
	await raiseException(tx, {
		...{ class: "missing_there", subject, amountMinor, currency, now: at },
		ours: {
			...{ tenant_id: tenantId, intent_id: intentId, attempt_id: id, shortcode },
			...{ amount_minor: toMinor(amountMinor), currency },
		},
		theirs: {},
	});
}

/** A checkout is asked about when its time is over, too: then it has expired. */
const soonerOf = ({ channel, expiresAt }: Attempt, rung: Date, at: Date): Date =>
	channel !== "push" && at < expiresAt && expiresAt < rung ? expiresAt : rung;
