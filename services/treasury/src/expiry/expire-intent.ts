import { inTenant } from "@lango/postgres";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { listAttempts } from "../payments/attempt.store.ts";
import { isLive } from "../payments/attempt.ts";
import { lockIntent, updateIntent } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { recordAskingFailed, recordIntentChanged } from "../payments/intent-events.ts";
import type { Treasury } from "../treasury.ts";
import { lockBillsOf } from "../unapplied/unapplied.store.ts";

/**
 * Ends an open intent whose time is over, and answers its asking. While a gateway may still collect it,
 * it stays open: a service that was answered does not ask again, and would not get what is paid then.
 * Money that comes later is still counted.
 */
export async function expireIntent(
	{ db, now }: Pick<Treasury, "db" | "now">,
	{ tenantId, intentId }: { tenantId: string; intentId: string },
): Promise<void> {
	await retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockBillsOf(tx, tenantId);
			const intent = await lockIntent(tx, intentId);
			const at = now();
			if (intent === undefined || !isOpen(intent) || intent.expiresAt > at) return;
			if ((await listAttempts(tx, [intentId])).some(isLive)) return;
			const expired = await updateIntent(tx, { ...intent, status: "expired" }, at);
			await recordIntentChanged(tx, expired, at);
			await recordAskingFailed(tx, { intent: expired, reason: "expired", now: at });
		}),
	);
}
