import type { Database } from "@lango/postgres";
import type { Intent } from "../payments/intent.ts";
import { outstandingOf } from "../payments/intent.ts";
import { unappliedOf } from "./unapplied.store.ts";

/**
 * What a payer is asked for: of a bill what the tenant's unused money does not cover, which is 0 or less if
 * it covers it; of a tenant's intent what is outstanding. Call it inside the tenant, after `lockBillsOf`.
 */
export async function amountDue(tx: Database, intent: Intent): Promise<bigint> {
	if (intent.payee === "tenant") return outstandingOf(intent);
	return intent.amountMinor - (await unappliedOf(tx, intent.currency));
}
