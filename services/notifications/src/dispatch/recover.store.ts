import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";
import { clockDifferenceMs } from "../provider.ts";

/** A delivery whose lease has ended: the process that sent it stopped or is too slow. */
export type Lost = { id: string; attempt: number; channel: Channel; calledAt: Date | undefined };

/** A delivery with an unknown outcome that is due for a look-up. */
export type Unknown = {
	id: string;
	attempt: number;
	channel: Channel;
	providerId: string;
	address: Sealed;
	/** HMAC of its phone and text; undefined: it cannot be recognized at the provider. */
	textKey: Buffer | undefined;
	/** The provider was called with the same text for the same phone for another delivery of the tenant. */
	isAmbiguous: boolean;
	calledAt: Date;
};

const tenantsMax = 100;

/** Lists tenants with deliveries to recover. */
export async function listTenantsToRecover(db: Database, now: Date): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>("select tenant_id from tenants_to_recover($1, $2)", [
		now,
		tenantsMax,
	]);
	return rows.map(({ tenant_id }) => tenant_id);
}

/** Lists deliveries whose lease has ended. Call it inside the tenant. */
export async function listLost(
	tx: Database,
	{ tenantId, now, limit }: { tenantId: string; now: Date; limit: number },
): Promise<Lost[]> {
	const rows = await tx.query<{ id: string; attempt: number; channel: Channel; called_at: Date | null }>(
		`select id, attempt, channel, called_at from message_deliveries
		  where tenant_id = $3 and status = 'sending' and lease_until < $1 order by lease_until limit $2 for update skip locked`,
		[now, limit, tenantId],
	);
	return rows.map(({ called_at, ...row }) => ({ ...row, calledAt: called_at ?? undefined }));
}

/** Lists deliveries with an unknown outcome that are due for a look-up. Call it inside the tenant. */
export async function listUnknown(
	tx: Database,
	{ tenantId, now, limit }: { tenantId: string; now: Date; limit: number },
): Promise<Unknown[]> {
	const rows = await tx.query<{
		id: string;
		attempt: number;
		channel: Channel;
		provider_id: string;
		address_key_id: string;
		address: Buffer;
		text_key: Buffer | null;
		is_ambiguous: boolean;
		called_at: Date;
	}>(
		`select d.id, d.attempt, d.channel, d.provider_id, d.address_key_id, d.address, d.text_key, d.called_at,
		        exists (select from message_deliveries o
		                 where o.tenant_id = $4 and o.address_key = d.address_key and o.id <> d.id
		                   and o.provider_id = d.provider_id and o.text_key = d.text_key
		                   and o.called_at >= d.called_at - $3::integer * interval '1 millisecond') as is_ambiguous
		   from message_deliveries d
		  where d.tenant_id = $4 and d.status = 'unknown' and d.due_at < $1 and d.address is not null
		  order by d.due_at limit $2`,
		[now, limit, clockDifferenceMs, tenantId],
	);
	return rows.map((row) => ({
		id: row.id,
		attempt: row.attempt,
		channel: row.channel,
		providerId: row.provider_id,
		address: { keyId: row.address_key_id, sealed: row.address },
		textKey: row.text_key ?? undefined,
		isAmbiguous: row.is_ambiguous,
		calledAt: row.called_at,
	}));
}

/** Lists tenants with due deliveries in an idle lane. */
export async function listTenantsWithIdleLanes(db: Database, now: Date): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>(
		"select tenant_id from tenants_with_idle_lanes($1, $2)",
		[now, tenantsMax],
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

/** Sets idle lanes with queued deliveries due. Call it inside the tenant. */
export async function rearmLanes(tx: Database, tenantId: string, now: Date): Promise<void> {
	await tx.query(
		`insert into lanes as l (tenant_id, channel, class, next_due_at, served_at)
		 select tenant_id, channel, class, min(due_at), $2 from message_deliveries
		  where tenant_id = $1 and status = 'queued' and due_at < $2 group by tenant_id, channel, class
		  order by channel, class
		 on conflict on constraint lanes__pkey do update
		    set next_due_at = least(coalesce(l.next_due_at, excluded.next_due_at), excluded.next_due_at)`,
		[tenantId, now],
	);
}

/** Lists deliveries of every tenant that expired while their lane rests. */
export async function listExpiredAtRest(
	db: Database,
	{ now, limit }: { now: Date; limit: number },
): Promise<Array<{ tenantId: string; id: string }>> {
	const rows = await db.query<{ tenant_id: string; id: string }>(
		"select tenant_id, id from list_expired_at_rest($1, $2)",
		[now, limit],
	);
	return rows.map(({ tenant_id, id }) => ({ tenantId: tenant_id, id }));
}
