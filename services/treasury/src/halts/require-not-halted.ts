import { type Database, inTenant } from "@lango/postgres";
import { haltFailures } from "./failures.ts";
import { findHalt } from "./halt.store.ts";
import type { HaltScope } from "./halt.ts";

/** Throws `halted` while the operator has stopped this for every tenant or for this one. */
export async function requireNotHalted(db: Database, tenantId: string, scope: HaltScope): Promise<void> {
	const halt = await inTenant(db, tenantId, (tx) => findHalt(tx, scope));
	if (halt !== undefined) throw haltFailures.halted();
}
