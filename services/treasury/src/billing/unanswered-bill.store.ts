import { acrossTenants, type Database } from "@lango/postgres";
import { automaticKinds } from "./phone-for.ts";

/**
 * Lists open bills of all tenants that are collected without a person, by id: those that were asked for
 * before a time, and whose asking has no answer.
 */
export async function listUnansweredBills(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from intents
			  where ended_at is null and payee = 'platform' and operation_kind = any ($1) and asked_at < $2
			    and failed_attempt < asked_attempt and ($3::uuid is null or id > $3)
			  order by id limit $4`,
			[automaticKinds, before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
