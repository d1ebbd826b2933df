import { acrossTenants, type Database } from "@lango/postgres";

type Overdue = {
	before: Date;
	/** Whether to leave out tenants with a test clock: only the test moves them. */
	hasTestClocks: boolean;
	after: string | undefined;
	limit: number;
};

const isSuspended = (row: string) =>
	`exists (select from tenant_suspensions t where t.tenant_id = ${row}.tenant_id and t.is_suspended)`;

/**
 * Tenants with something due before a moment, ordered by id: a step of the subscription, overage of an ended
 * period that is not billed, or a step of a bill. Bills of suspended tenants wait.
 */
export async function listOverdueTenants(
	db: Database,
	{ before, hasTestClocks, after, limit }: Overdue,
): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select tenant_id from (
			   select s.tenant_id from subscriptions s where s.next_due_at <= $1
			   union
			   select s.tenant_id
			     from subscriptions s
			    cross join lateral (
			       select case when s.period_ends_at is null then null
			                   when s.grace_until <= $1 then s.grace_until
			                   when s.period_ends_at <= $1 then s.period_ends_at
			                   when s.period_started_at <= $1 then s.period_started_at end as at) closed
			    where s.tenant_id in (select l.tenant_id from overage_lines l where l.units > l.taken_units)
			      and exists (select from overage_lines l
			                   where l.tenant_id = s.tenant_id and l.units > l.taken_units and l.period_starts_at < closed.at)
			      and not exists (select from overage_bills b where b.tenant_id = s.tenant_id and b.period_ends_at = closed.at)
			      and not ${isSuspended("s")}
			   union
			   select b.tenant_id from overage_bills b where b.next_step_at <= $1 and not ${isSuspended("b")}) due
			  where ($2::uuid is null or due.tenant_id > $2)
			    and not ($3 and exists (select from test_clocks c where c.tenant_id = due.tenant_id))
			  order by due.tenant_id
			  limit $4`,
			[before, after ?? null, hasTestClocks, limit],
		),
	);
	return rows.map(({ tenant_id }) => tenant_id);
}
