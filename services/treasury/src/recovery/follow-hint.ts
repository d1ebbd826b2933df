import { inTenant } from "@lango/postgres";
import { raiseException } from "../exceptions/raise-exception.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { toMinor } from "../money/amount.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { findAttempt } from "../payments/attempt.store.ts";
import { type Attempt, isLive } from "../payments/attempt.ts";
import { findIntent, type StoredIntent } from "../payments/intent.store.ts";
import type { Treasury } from "../treasury.ts";
import { askPrompt } from "./ask-prompt.ts";

type Hint = { tenantId: string; attemptId: string; isLastTry: boolean };

/**
 * Asks the gateway about a prompt because of a callback whose sender is not trusted. A prompt that has
 * ended is asked about, too: money that moved wins over an earlier failure. Throws an Error while the
 * gateway says nothing about such a prompt, because no other question is planned; after the last try a
 * person has to look.
 */
export async function followHint(domain: Treasury, { tenantId, attemptId, isLastTry }: Hint): Promise<void> {
	const { db, now, counts } = domain;
	const [attempt, intent] = await inTenant(db, tenantId, async (tx) => {
		const found = await findAttempt(tx, attemptId);
		return [found, found && (await findIntent(tx, found.intentId))] as const;
	});
	if (attempt === undefined || intent === undefined || attempt.status === "succeeded") return;
	const said = await askPrompt(domain, attempt, { payee: intent.payee, isHint: true });
	counts.queried(said === undefined ? "open" : "ended");
	if (said === undefined) {
		if (isLive(attempt)) return;
		if (!isLastTry) throw new Error(`the gateway says nothing about the attempt ${attemptId}`);
		return raiseSilence(domain, { attempt, intent });
	}
	// A failure of a prompt that has failed says nothing new.
	if (said.kind !== "paid" && !isLive(attempt)) return;
	const from = { source: "query", sourceId: undefined } as const;
	const evidence = { tenantId, attemptId, of: attempt, ...from, said, at: now() };
	await retryConflicts(() => inTenant(db, tenantId, (tx) => applyOutcome(tx, evidence)));
}

/** The prompt may have been paid after it failed, and the gateway does not say so. */
function raiseSilence(
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ attempt, intent: { currency } }: { attempt: Attempt; intent: StoredIntent },
): Promise<void> {
	const { tenantId, id, intentId, amountMinor, shortcode, status, reference: subject } = attempt;
	return inTenant(db, tenantId, (tx) =>
		raiseException(tx, {
			...{ class: "missing_there", subject, amountMinor, currency, now: now() },
			ours: {
				...{ tenant_id: tenantId, intent_id: intentId, attempt_id: id, shortcode, status },
				...{ amount_minor: toMinor(amountMinor), currency },
			},
			theirs: {},
		}),
	);
}
