import { inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { findAttempt } from "../payments/attempt.store.ts";
import type { Treasury } from "../treasury.ts";
import { askCheckout } from "./ask-checkout.ts";

/** Asks the card gateway about a checkout at once, and applies what it says. */
export async function askNow(domain: Treasury, tenantId: string, attemptId: string): Promise<void> {
	const { db, now } = domain;
	const attempt = await inTenant(db, tenantId, (tx) => findAttempt(tx, attemptId));
	if (attempt === undefined || attempt.channel !== "checkout" || attempt.status === "succeeded") return;
	const said = await askCheckout(domain, attempt);
	if (said === undefined) return;
	const evidence = { tenantId, attemptId, source: "query", sourceId: undefined, said, at: now() } as const;
	await retryConflicts(() => inTenant(db, tenantId, (tx) => applyOutcome(tx, evidence)));
}
