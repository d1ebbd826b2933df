import { type AuditEntry, recordAudit } from "@lango/access";
import { inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { listAttempts } from "../payments/attempt.store.ts";
import { isLive } from "../payments/attempt.ts";
import { paymentFailures } from "../payments/failures.ts";
import { findIntent, lockIntent, type StoredIntent, updateIntent } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { recordIntentChanged } from "../payments/intent-events.ts";
import { askAboutIntent } from "../recovery/ask-now.ts";
import type { Treasury } from "../treasury.ts";

type Cancel = { tenantId: string; intentId: string; by: Pick<AuditEntry, "actor" | "requestId" | "address"> };

/**
 * Cancels an open intent of a tenant's own trade, after asking the gateway about live attempts. What it
 * received stays with the tenant. Throws `intent_not_found`, `intent_closed`, and `attempt_live` while the
 * gateway may still collect it.
 */
export async function cancelIntent(
	domain: Treasury,
	{ tenantId, intentId, by }: Cancel,
): Promise<StoredIntent> {
	const { db, now } = domain;
	requireOpen(await inTenant(db, tenantId, (tx) => findIntent(tx, intentId)));
	await askAboutIntent(domain, tenantId, intentId);
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			const intent = requireOpen(await lockIntent(tx, intentId));
			if ((await listAttempts(tx, [intentId])).some(isLive)) throw paymentFailures.attempt_live();
			const at = now();
			const cancelled = await updateIntent(tx, { ...intent, status: "cancelled" }, at);
			await recordIntentChanged(tx, cancelled, at);
			await recordAudit(tx, {
				...{ tenantId, at, ...by, action: "intent.cancelled", subject: intentId },
				detail: { operation_id: intent.operationId },
			});
			return cancelled;
		}),
	);
}

function requireOpen(intent: StoredIntent | undefined): StoredIntent {
	if (intent?.payee !== "tenant") throw paymentFailures.intent_not_found();
	if (!isOpen(intent)) throw paymentFailures.intent_closed();
	return intent;
}
