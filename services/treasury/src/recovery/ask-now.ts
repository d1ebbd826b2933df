import { inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { findAttempt, listAttempts } from "../payments/attempt.store.ts";
import { type Attempt, isLive } from "../payments/attempt.ts";
import type { Treasury } from "../treasury.ts";
import { askCheckout } from "./ask-checkout.ts";
import { findOutAttempt } from "./find-out.ts";

/** Asks the card gateway about a checkout at once, and applies what it says. */
export async function askNow(domain: Treasury, tenantId: string, attemptId: string): Promise<void> {
	const { db, now } = domain;
	const attempt = await inTenant(db, tenantId, (tx) => findAttempt(tx, attemptId));
	if (attempt === undefined || attempt.channel !== "checkout" || attempt.status === "succeeded") return;
	const said = await askCheckout(domain, attempt);
	if (said === undefined) return;
	const from = { source: "query", sourceId: undefined } as const;
	const evidence = { tenantId, attemptId, of: attempt, ...from, said, at: now() };
	await retryConflicts(() => inTenant(db, tenantId, (tx) => applyOutcome(tx, evidence)));
}

/** How many attempts of an intent are asked about at once. */
const atOnce = 5;

/**
 * Asks the gateways about the live attempts of an intent at once, and applies what they say. When they are
 * asked next does not change.
 */
export async function askAboutIntent(domain: Treasury, tenantId: string, intentId: string): Promise<void> {
	const attempts = await inTenant(domain.db, tenantId, (tx) => listAttempts(tx, [intentId]));
	const live = attempts.filter(isLive);
	const ask = ({ id }: Attempt) => findOutAttempt(domain, { tenantId, attemptId: id, keepsSchedule: true });
	while (live.length > 0) await Promise.all(live.splice(0, atOnce).map(ask));
}
