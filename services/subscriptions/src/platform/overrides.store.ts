import { type Database, inTenant } from "@lango/postgres";
import type { Overrides } from "../rules/terms/terms.ts";

/** The overrides of a tenant; undefined if it has no subscription. */
export async function findOverrides(db: Database, tenantId: string): Promise<Overrides | undefined> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ overrides: Overrides }>("select overrides from subscriptions where tenant_id = $1", [
			tenantId,
		]),
	);
	return row?.overrides;
}
