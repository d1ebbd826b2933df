import type { Database } from "@lango/postgres";

/**
 * What an actor granted the current tenant under an idempotency key, from the audit log; undefined if not
 * found.
 */
export async function findGrant(
	tx: Database,
	{ actorId, key }: { actorId: string; key: string },
): Promise<{ days: number; because: string } | undefined> {
	const [row] = await tx.query<{ detail: { days: number; because: string } }>(
		`select detail from audit_log
		  where tenant_id = current_setting('app.tenant_id')::uuid and action = 'time.granted' and actor_id = $1
		    and detail ? 'idempotency_key' and detail ->> 'idempotency_key' = $2`,
		[actorId, key],
	);
	return row?.detail;
}
