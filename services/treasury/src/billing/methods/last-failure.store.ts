import { currentTenant, type Database } from "@lango/postgres";

/** An attempt to collect a renewal, or use beyond the plan, that did not pay. */
export type LastFailure = { code: string; at: Date };

/**
 * Returns why the last attempt to collect a renewal, or use beyond the plan, did not pay; undefined if it
 * paid, or may still. Call it inside the tenant.
 */
export async function findLastFailure(tx: Database): Promise<LastFailure | undefined> {
	const [row] = await tx.query<LastFailure & { is_failed: boolean }>(
		`select coalesce(a.failure_code, case a.status when 'expired' then 'expired' else 'failed' end) as code, coalesce(a.ended_at, a.created_at) as at,
		        a.status in ('rejected', 'failed', 'cancelled', 'expired') as is_failed
		   from intents i join attempts a on a.tenant_id = i.tenant_id and a.intent_id = i.id
		  where i.tenant_id = $1 and i.payee = 'platform' and i.operation_kind in ('renewal', 'overage')
		  order by a.created_at desc, a.id desc limit 1`,
		[currentTenant(tx)],
	);
	return row?.is_failed ? { code: row.code, at: row.at } : undefined;
}
