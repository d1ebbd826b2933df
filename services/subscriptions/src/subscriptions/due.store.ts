import { acrossTenants, type Database } from "@lango/postgres";

/** Tenants of whose subscriptions something is due, the longest due first. Who has a clock of their own is moved by it alone. */
export async function listDueTenants(
	db: Database,
	{ now, limit }: { now: Date; limit: number },
): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select s.tenant_id
			   from subscriptions s
			  where s.next_due_at <= $1
			    and not exists (select from test_clocks c where c.tenant_id = s.tenant_id)
			  order by s.next_due_at
			  limit $2`,
			[now, limit],
		),
	);
	return rows.map(({ tenant_id }) => tenant_id);
}
