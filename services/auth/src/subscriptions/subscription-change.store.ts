import type { Database } from "@lango/postgres";

/** Notifies every process that a tenant's subscription changed, when the transaction commits. */
export async function notifySubscriptionChanged(tx: Database, tenantId: string): Promise<void> {
	await tx.query("select pg_notify('auth_changed', 'subscription:' || $1::uuid)", [tenantId]);
}
