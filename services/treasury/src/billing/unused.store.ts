import { acrossTenants, type Database } from "@lango/postgres";

/**
 * Lists card subscriptions of all tenants that still charge and should not, by id: of bills, and no billing
 * method names it; or its card was deleted, with its person or its tenant.
 */
export async function listUnusedSubscriptions(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select s.id, s.tenant_id from card_subscriptions s
			   left join billing_methods m on (m.tenant_id, m.card_subscription_id) = (s.tenant_id, s.id)
			   left join card_authorizations a on (a.tenant_id, a.id) = (s.tenant_id, s.authorization_id)
			  where s.status in ('active', 'attention') and s.created_at < $1
			    and (a.id is null or (s.payee = 'platform' and m.tenant_id is null))
			    and ($2::uuid is null or s.id > $2) order by s.id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}

/** Lists standing orders of all tenants that pay bills, and that no billing method names, by id. */
export async function listUnusedOrders(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select o.id, o.tenant_id from standing_orders o
			   left join billing_methods m on (m.tenant_id, m.standing_order_id) = (o.tenant_id, o.id)
			  where o.payee = 'platform' and o.ended_at is null and o.created_at < $1 and m.tenant_id is null
			    and ($2::uuid is null or o.id > $2) order by o.id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
