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
		"select tenant_id from tenants_with_usage($1, $2, $3, $4) as tenant_id",
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
	{ metric, tenantId, from, until }: Span & { metric: string; tenantId: string },
): Promise<void> {
	const counted = await tx.query<{ value: number; ends_at: Date }>(
		`update send_days d set reported = due.used
		   from (select s.day, s.used, s.reported, (s.day + 1)::timestamp at time zone t.time_zone as ends_at
		           from send_days s join tenants t on t.id = $1
		          where s.tenant_id = $1 and s.reported <> s.used
		            and s.day between ($2 at time zone t.time_zone)::date and ($3 at time zone t.time_zone)::date
		          order by s.day for update of s) due
		  where d.tenant_id = $1 and d.day = due.day
		 returning due.used - due.reported as value, due.ends_at`,
		[tenantId, from, until],
	);
	if (counted.length === 0) return;
	await tx.query(
		`insert into usage_reports (tenant_id, metric, value, at)
		 select $1, $2, r.value, least($3, r.ends_at - interval '1 second')
		   from jsonb_to_recordset($4) as r (value bigint, ends_at timestamptz)
		 on conflict on constraint usage_reports__pkey do nothing`,
		[tenantId, metric, until, JSON.stringify(counted)],
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
	const [position] = await tx.query<{ counted_until: Date }>(
		"select greatest(counted_until, $2) as counted_until from usage_positions where tenant_id = $1 for update",
		[tenantId, from],
	);
	if (position === undefined) throw new Error("the tenant's position was not recorded");
	await tx.query(
		`insert into usage_reports (tenant_id, metric, value, at)
		 select $1, $2, sum(case d.channel when 'sms' then d.segments else 1 end), $4
		   from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
		  where d.tenant_id = $1 and d.channel in ('sms', 'whatsapp') and not m.is_exempt
		    and d.sent_at >= $3 and d.sent_at < $4
		 having sum(case d.channel when 'sms' then d.segments else 1 end) > 0
		 on conflict on constraint usage_reports__pkey do nothing`,
		[tenantId, metric, position.counted_until, until],
	);
	await tx.query(
		"update usage_positions set counted_until = $2 where tenant_id = $1 and counted_until < $2",
		[tenantId, until],
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
export async function removeReports(
	tx: Database,
	{ tenantId, ids }: { tenantId: string; ids: readonly string[] },
): Promise<void> {
	await tx.query("delete from usage_reports where tenant_id = $1 and id = any ($2)", [tenantId, [...ids]]);
}
