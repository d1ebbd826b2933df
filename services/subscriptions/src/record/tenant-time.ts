import { type Database, inTenant } from "@lango/postgres";
import { findTestClock } from "./test-clock.store.ts";

/** What tells the time: everybody's clock, and whether tenants may have one of their own (never in production). */
export type Clock = { now: () => Date; hasTestClocks: boolean };

/** The time it is for a tenant. */
export async function timeFor(db: Database, tenantId: string, { now, hasTestClocks }: Clock): Promise<Date> {
	if (!hasTestClocks) return now();
	return (await inTenant(db, tenantId, (tx) => findTestClock(tx, tenantId))) ?? now();
}
