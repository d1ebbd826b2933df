import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import type { Answer } from "../gateways/calls/answer.ts";
import { asHint } from "../gateways/mobile-money/account.ts";
import { type PushResult, queryPush } from "../gateways/mobile-money/push.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { Evidence, Said } from "../outcomes/evidence.ts";
import { saidByPushCode } from "../outcomes/push-code.ts";
import { findAttempt, scheduleCheck } from "../payments/attempt.store.ts";
import { type Attempt, isLive } from "../payments/attempt.ts";
import { findIntent } from "../payments/intent.store.ts";
import { findOwnerId } from "../platform-owner.ts";
import type { Treasury } from "../treasury.ts";
import { askCheckout } from "./ask-checkout.ts";
import { ladders } from "./ladder.ts";

type Asking = {
	tenantId: string;
	attemptId: string;
	/** Whether it is asked about once more, and the next question comes when it would have come anyway. */
	keepsSchedule?: boolean;
	/** Whether a sender who is not trusted is the reason. Such questions have a share of calls of their own. */
	isHint?: boolean;
};

/**
 * Asks the gateway what became of an attempt, and schedules the next question while it is not known, unless
 * the schedule is kept.
 */
export async function findOutAttempt(domain: Treasury, asking: Asking): Promise<void> {
	const { db, now } = domain;
	const { tenantId, attemptId, keepsSchedule = false, isHint = false } = asking;
	const [attempt, intent] = await inTenant(db, tenantId, async (tx) => {
		const found = await findAttempt(tx, attemptId);
		return [found, found && (await findIntent(tx, found.intentId))] as const;
	});
	if (attempt === undefined || intent === undefined || !isLive(attempt)) return;
	const said =
		attempt.channel === "push"
			? await askPush(domain, attempt, {
					shortcodeOf: intent.payee === "platform" ? await findOwnerId(domain) : tenantId,
					isHint,
				})
			: await askCheckout(domain, attempt);
	if (keepsSchedule && said === undefined) return;
	const at = now();
	const evidence = said && { tenantId, attemptId, source: "query" as const, sourceId: undefined, said, at };
	const conclusion = { attempt, currency: intent.currency, evidence, at };
	await retryConflicts(() => inTenant(db, tenantId, (tx) => conclude(tx, conclusion)));
	domain.counts.queried(said === undefined ? "open" : "ended");
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

/** What the gateway says; undefined while it does not know, or did not answer. */
async function askPush(
	domain: Treasury,
	attempt: Attempt,
	{ shortcodeOf, isHint }: { shortcodeOf: string; isHint: boolean },
): Promise<Said | undefined> {
	// The process ended before the answer with the ids: only the callback can name this prompt.
	if (attempt.checkoutRequestId === null)
		return attempt.expiresAt.getTime() + unnamedMs < domain.now().getTime() ? { kind: "expired" } : undefined;
	const { shortcode } = attempt;
	const account = await domain.gateways.findMobileMoney(shortcodeOf, shortcode ?? undefined);
	if (account === undefined) return undefined;
	return saidByQuery(await queryPush(isHint ? asHint(account) : account, attempt.checkoutRequestId));
}

const unnamedMs = 180_000;

function saidByQuery(answer: Answer<PushResult>): Said | undefined {
	if (answer.is !== "accepted") return undefined;
	const said = saidByPushCode(answer.ids.resultCode);
	if (said !== undefined) return said;
	return {
		...{ kind: "paid", amountMinor: undefined, currency: "KES", receipt: undefined },
		...{ paidAt: undefined, payerMasked: undefined },
	};
}
