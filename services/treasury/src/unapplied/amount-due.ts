import type { Database } from "@lango/postgres";
import { isFirstBill } from "../payments/intent.store.ts";
import type { Intent } from "../payments/intent.ts";
import { outstandingOf } from "../payments/intent.ts";
import { unappliedOf } from "./unapplied.store.ts";

/**
 * What a payer is asked for: of a tenant's intent what is outstanding; of the bill that was asked for
 * first what the tenant's unused money does not cover, which is 0 or less if it covers it; of any other
 * bill all of it, since the money is used once. Call it inside the tenant, after `lockBillsOf`. The unused
 * money is read unless it is given.
 */
export async function amountDue(tx: Database, intent: Intent, unusedMinor?: bigint): Promise<bigint> {
	if (intent.payee === "tenant") return outstandingOf(intent);
	if (!(await isFirstBill(tx, intent))) return intent.amountMinor;
	return intent.amountMinor - (unusedMinor ?? (await unappliedOf(tx, intent.currency)));
}
