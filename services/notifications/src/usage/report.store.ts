import type { Database } from "@lango/postgres";

/** A stored report of usage. */
export type StoredReport = { id: string; metric: string; value: number; at: Date };

/** The time in which usage can be reported: the subscription service refuses what is older. */
export type Span = { from: Date; until: Date };

/** Lists tenants with usage that is not reported, in the order of their ids. */
export async function listTenantsWithUsage(
	db: Database,
	{ from, until, after, limit }: Span & { after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>(
		"select tenant_id from tenants_with_usage($1, $2, $3, $4)",
		[from, until, after ?? null, limit],
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Stores reports of the e-mails that were counted since the last ones, one for each day until today. A
 * cancelled e-mail lowers its day. Call it inside the tenant.
 */
export async function storeEmails(
	tx: Database,
	{ metric, from, until }: Span & { metric: string },
): Promise<void> {
	await tx.query(
		`with due as (
		   select d.tenant_id, d.day, d.used, d.reported, t.time_zone
		     from send_days d join tenants t on t.id = d.tenant_id
		    where d.reported <> d.used
		      and d.day between ($2 at time zone t.time_zone)::date and ($3 at time zone t.time_zone)::date
		    order by d.day for update of d
		 ), counted as (
		   update send_days d set reported = due.used from due where d.tenant_id = due.tenant_id and d.day = due.day
		 )
		 insert into usage_reports (tenant_id, metric, value, at)
		 select tenant_id, $1, used - reported,
		        least($3, (day + 1)::timestamp at time zone time_zone - interval '1 second')
		   from due`,
		[metric, from, until],
	);
}

/**
 * Stores a report of the SMS segments and WhatsApp messages that were sent since the last one. Messages of
 * the platform are not counted. Call it inside the tenant.
 */
export async function storeMessages(
	tx: Database,
	{ metric, tenantId, from, until }: Span & { metric: string; tenantId: string },
): Promise<void> {
	await tx.query(
		"insert into usage_positions (tenant_id, counted_until) values ($1, $2) on conflict on constraint usage_positions__pkey do nothing",
		[tenantId, from],
	);
	await tx.query("select from usage_positions where tenant_id = $1 for update", [tenantId]);
	await tx.query(
		`with counted as (
		   select coalesce(sum(case d.channel when 'sms' then d.segments else 1 end), 0) as value
		     from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
		    where d.tenant_id = $1 and d.channel in ('sms', 'whatsapp') and not m.is_exempt
		      and d.sent_at >= greatest((select u.counted_until from usage_positions u where u.tenant_id = $1), $3)
		      and d.sent_at < $4
		 ), stored as (
		   insert into usage_reports (tenant_id, metric, value, at) select $1, $2, value, $4 from counted where value > 0
		 )
		 update usage_positions set counted_until = $4 where tenant_id = $1 and counted_until < $4`,
		[tenantId, metric, from, until],
	);
}

/** Lists stored reports, the oldest first. Call it inside the tenant. */
export async function listReports(tx: Database, limit: number): Promise<StoredReport[]> {
	const rows = await tx.query<{ id: string; metric: string; value: string; at: Date }>(
		"select id, metric, value, at from usage_reports order by at, id limit $1",
		[limit],
	);
	return rows.map(({ value, ...row }) => ({ ...row, value: Number(value) }));
}

/** Removes reports that were received. Call it inside the tenant. */
export async function removeReports(tx: Database, ids: readonly string[]): Promise<void> {
	await tx.query("delete from usage_reports where id = any ($1)", [[...ids]]);
}
