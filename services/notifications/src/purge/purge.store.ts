import type { Database } from "@lango/postgres";

/** The ids before which messages lose their data, and before which they are removed. */
export type Cutoffs = { dataBefore: string; rowsBefore: string };

/** Lists tenants with something to purge, in the order of their ids. */
export async function listTenantsToPurge(
	db: Database,
	{ dataBefore, rowsBefore, after, limit }: Cutoffs & { after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>(
		"select tenant_id from tenants_to_purge($1, $2, $3, $4) as tenant_id",
		[dataBefore, rowsBefore, after ?? null, limit],
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Removes expired rows of every tenant, at most `limit` of each table. Returns the largest number of one
 * table.
 */
export async function purgeExpired(
	db: Database,
	{ now, limit }: { now: Date; limit: number },
): Promise<number> {
	const [row] = await db.query<{ removed: number }>("select purge_expired($1, $2) as removed", [now, limit]);
	return row?.removed ?? 0;
}

/** Lists queued deliveries of old messages that expired but were never claimed. Call it inside the tenant. */
export async function listExpiredQueued(
	tx: Database,
	{ tenantId, dataBefore, now, limit }: { tenantId: string; dataBefore: string; now: Date; limit: number },
): Promise<string[]> {
	const rows = await tx.query<{ id: string }>(
		`select d.id from messages m
		   join message_deliveries d on d.tenant_id = m.tenant_id and d.message_id = m.id
		  where m.tenant_id = $4 and m.purged_at is null and m.id < $1 and m.pending > 0 and d.status = 'queued' and d.expires_at <= $2
		  order by d.id limit $3`,
		[dataBefore, now, limit, tenantId],
	);
	return rows.map(({ id }) => id);
}

/** The oldest messages of a batch whose recipients are together about as many as the limit. */
const batch = (condition: string) => `
	select id from (
	  select id, sum(recipients) over (order by id) - recipients as before from (
	    select m.id, m.recipients from messages m where ${condition} order by m.id limit $2) oldest) summed
	 where before < $2`;

type Purging = { tenantId: string; dueBefore: Date; limit: number };

/**
 * Removes data and addresses of messages that were created and due before the cutoff and have ended. Returns
 * how many messages it purged. Call it inside the tenant.
 */
export async function purgeData(
	tx: Database,
	{ tenantId, dataBefore, dueBefore, now, limit }: Purging & { dataBefore: string; now: Date },
): Promise<number> {
	const [row] = await tx.query<{ purged: number }>(
		`with old as materialized (${batch("m.tenant_id = $5 and m.purged_at is null and m.id < $1 and m.send_at < $3 and m.pending = 0")}
		 ), emptied as (
		   update message_deliveries d set address = null, address_key_id = null, text_key = null
		     from old where d.tenant_id = $5 and d.message_id = old.id
		 ), purged as (
		   update messages m set data = null, data_key_id = null, purged_at = $4
		     from old where m.tenant_id = $5 and m.id = old.id returning 1
		 )
		 select count(*)::integer as purged from purged`,
		[dataBefore, limit, dueBefore, now, tenantId],
	);
	return row?.purged ?? 0;
}

/**
 * Removes purged messages that were created and due before the cutoff, with their deliveries and timelines.
 * Returns how many messages it removed. Call it inside the tenant.
 */
export async function removeMessages(
	tx: Database,
	{ tenantId, rowsBefore, dueBefore, limit }: Purging & { rowsBefore: string },
): Promise<number> {
	const ids = await tx.query<{ id: string }>(
		batch("m.tenant_id = $4 and m.purged_at is not null and m.id < $1 and m.send_at < $3"),
		[rowsBefore, limit, dueBefore, tenantId],
	);
	const old = ids.map(({ id }) => id);
	if (old.length === 0) return 0;
	await tx.query("delete from message_deliveries where tenant_id = $1 and message_id = any ($2)", [
		tenantId,
		old,
	]);
	await tx.query("delete from messages where tenant_id = $1 and id = any ($2)", [tenantId, old]);
	return old.length;
}

/** Removes the counts of days before a date. Call it inside the tenant. */
export async function removeDays(
	tx: Database,
	{ tenantId, before }: { tenantId: string; before: Date },
): Promise<void> {
	await tx.query("delete from send_days where tenant_id = $1 and day < $2::timestamptz::date", [
		tenantId,
		before,
	]);
}
