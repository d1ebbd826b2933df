import { acrossTenants, type Database } from "@lango/postgres";
import { rankOf } from "../payments/attempt.ts";

/**
 * Lists open intents of all tenants whose time is over, by id. One that a gateway may still collect waits
 * for the end of its attempts. One of a tenant's own trade that has expired before, and was opened again by
 * money that came late, is over no second time.
 */
export async function listOverdueIntents(
	db: Database,
	{ now, after, limit }: { now: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select i.id, i.tenant_id from intents i
			  where i.ended_at is null and i.expires_at <= $1 and (i.payee = 'platform' or i.failed_attempt = 0)
			    and not exists (select from attempts a where a.tenant_id = i.tenant_id and a.intent_id = i.id and a.rank < $2)
			    and ($3::uuid is null or i.id > $3)
			  order by i.id limit $4`,
			[now, rankOf.expired, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
