import type { Database } from "@lango/postgres";
import { listAttempts } from "./attempt.store.ts";
import type { StoredIntent } from "./intent.store.ts";
import { toIntentWire } from "./intent-wire.ts";
import type { PayPage } from "./pay-code.ts";
import { listPayments } from "./payment.store.ts";

/**
 * Writes intents with their attempts and payments, in two statements for all of them. Call it inside the
 * tenant.
 */
export async function describeIntents(tx: Database, intents: readonly StoredIntent[], page: PayPage) {
	const ids = intents.map(({ id }) => id);
	const attempts = await listAttempts(tx, ids);
	const payments = await listPayments(tx, ids);
	return intents.map((intent) => toIntentWire(intent, { attempts, payments, page }));
}
