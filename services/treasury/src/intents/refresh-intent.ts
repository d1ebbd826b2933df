import { inTenant } from "@lango/postgres";
import { paymentFailures } from "../payments/failures.ts";
import { type StoredIntent, takeRefresh } from "../payments/intent.store.ts";
import { isOpen } from "../payments/intent.ts";
import { askAboutIntent } from "../recovery/ask-now.ts";
import type { Treasury } from "../treasury.ts";

/** However many people follow a payment, the gateway is asked this often at most. */
const pauseMs = 5_000;

/**
 * Asks the gateways what became of the live attempts of an open intent, every five seconds at most. Throws
 * `intent_closed`.
 */
export async function refreshIntent(domain: Treasury, intent: StoredIntent): Promise<void> {
	const { tenantId, id } = intent;
	if (!isOpen(intent)) throw paymentFailures.intent_closed();
	const now = domain.now();
	const since = new Date(now.getTime() - pauseMs);
	const isDue = await inTenant(domain.db, tenantId, (tx) => takeRefresh(tx, { id, since, now }));
	if (isDue) await askAboutIntent(domain, tenantId, id);
}
