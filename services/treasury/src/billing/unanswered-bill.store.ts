import { acrossTenants, type Database } from "@lango/postgres";
import { automaticKinds } from "./methods/phone-for.ts";

type Page = { after: string | undefined; limit: number };

/**
 * Lists open bills of all served tenants that somebody has to pay, and whose asking was not published as
 * required, by id.
 */
export async function listUnrequiredBills(
	db: Database,
	{ after, limit }: Page,
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select i.id, i.tenant_id from intents i join tenants t on t.id = i.tenant_id
			  where i.ended_at is null and i.payee = 'platform' and i.required_attempt < i.asked_attempt
			    and (coalesce(i.operation_kind, '') <> all ($1) or i.failed_attempt >= i.asked_attempt)
			    and t.status in ('active', 'unknown') and ($2::uuid is null or i.id > $2)
			  order by i.id limit $3`,
			[automaticKinds, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}

/**
 * Lists open bills of all tenants that are collected without a person, by id: those that were asked for
 * before a time, and whose asking has no answer.
 */
export async function listUnansweredBills(
	db: Database,
	{ before, after, limit }: Page & { before: Date },
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
