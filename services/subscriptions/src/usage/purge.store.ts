import { acrossTenants, type Database, inTenant } from "@lango/postgres";

/** Rows from these times on are kept. */
export type Retention = {
	reportsFrom: Date;
	countersFrom: Date;
	consumptionsFrom: Date;
	releasesFrom: Date;
	termsFrom: Date;
};

/** A consumption `n` that is not of an existing thing, and whose period has ended. */
const isOver = `n.window_key <> 'standing' and not exists (
	select from subscriptions s
	 where s.tenant_id = n.tenant_id and n.period_starts_at >= coalesce(s.period_started_at, s.trial_started_at))`;

/** Some tenants with expired rows. */
export async function listPurgeable(db: Database, retention: Retention, max: number): Promise<string[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>(
			`select distinct tenant_id from (
			   (select tenant_id from usage_reports where received_at < $1 limit $5)
			   union all (select tenant_id from usage_counters where starts_at < $2 and window_key <> 'standing' limit $5)
			   union all (select tenant_id from usage_consumptions n where consumed_at < $3 and ${isOver} limit $5)
			   union all (select tenant_id from usage_consumptions where released_at < $4 limit $5)
			   union all (select tenant_id from past_terms where ended_at < $6 limit $5)) old
			  limit $5`,
			[
				retention.reportsFrom,
				retention.countersFrom,
				retention.consumptionsFrom,
				retention.releasesFrom,
				max,
				retention.termsFrom,
			],
		),
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Removes a tenant's expired rows, at most `max` of each kind, and returns their number. The ids are an array
 * and not a subquery: with old statistics, the planner could run the subquery again for each row.
 */
export async function removeOldUsage(
	db: Database,
	{ tenantId, retention, max }: { tenantId: string; retention: Retention; max: number },
): Promise<number> {
	return inTenant(db, tenantId, async (tx) => {
		const reports = await tx.query(
			`delete from usage_reports where tenant_id = $1 and id = any (array(
			   select id from usage_reports where tenant_id = $1 and received_at < $2 limit $3)) returning 1`,
			[tenantId, retention.reportsFrom, max],
		);
		const counters = await tx.query(
			`delete from usage_counters c using (
			   select metric, window_key from usage_counters
			    where tenant_id = $1 and starts_at < $2 and window_key <> 'standing' limit $3) as old
			  where c.tenant_id = $1 and c.metric = old.metric and c.window_key = old.window_key returning 1`,
			[tenantId, retention.countersFrom, max],
		);
		const consumptions = await tx.query(
			`delete from usage_consumptions where tenant_id = $1 and id = any (array(
			   select id from usage_consumptions n
			    where tenant_id = $1 and ((consumed_at < $2 and ${isOver}) or released_at < $3) limit $4))
			 returning 1`,
			[tenantId, retention.consumptionsFrom, retention.releasesFrom, max],
		);
		const terms = await tx.query(
			"delete from past_terms where tenant_id = $1 and ended_at < $2 returning 1",
			[tenantId, retention.termsFrom],
		);
		return terms.length + reports.length + counters.length + consumptions.length;
	});
}
