import type { Database } from "@lango/postgres";

/** Tells every process that a tenant's subscription changed, once the transaction commits. */
export async function tellSubscriptionChanged(tx: Database, tenantId: string): Promise<void> {
	await tx.query("select pg_notify('auth_changed', 'subscription:' || $1::uuid)", [tenantId]);
}
