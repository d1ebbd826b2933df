import { type Database, inTenant } from "@lango/postgres";
import { findTestClock } from "./test-clock.store.ts";

/** The system clock, and whether tenants can have a test clock (never in production). */
export type Clock = { now: () => Date; hasTestClocks: boolean };

/** A tenant's time. */
export async function timeFor(db: Database, tenantId: string, { now, hasTestClocks }: Clock): Promise<Date> {
	if (!hasTestClocks) return now();
	return (await inTenant(db, tenantId, (tx) => findTestClock(tx, tenantId))) ?? now();
}
