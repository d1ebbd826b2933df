import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** A delivery whose lease has ended: the process that sent it stopped or is too slow. */
export type Lost = { id: string; attempt: number; channel: Channel; calledAt: Date | undefined };

/** A delivery with an unknown outcome that is due for a look-up. */
export type Unknown = {
	id: string;
	attempt: number;
	channel: Channel;
	providerId: string;
	ref: string | undefined;
	address: Sealed;
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
export async function listLost(tx: Database, { now, limit }: { now: Date; limit: number }): Promise<Lost[]> {
	const rows = await tx.query<{ id: string; attempt: number; channel: Channel; called_at: Date | null }>(
		`select id, attempt, channel, called_at from message_deliveries
		  where status = 'sending' and lease_until < $1 order by lease_until limit $2 for update skip locked`,
		[now, limit],
	);
	return rows.map(({ called_at, ...row }) => ({ ...row, calledAt: called_at ?? undefined }));
}

/** Lists deliveries with an unknown outcome that are due for a look-up. Call it inside the tenant. */
export async function listUnknown(
	tx: Database,
	{ now, limit }: { now: Date; limit: number },
): Promise<Unknown[]> {
	const rows = await tx.query<{
		id: string;
		attempt: number;
		channel: Channel;
		provider_id: string;
		ref: string | null;
		address_key_id: string;
		address: Buffer;
		called_at: Date;
	}>(
		`select id, attempt, channel, provider_id, ref, address_key_id, address, called_at from message_deliveries
		  where status = 'unknown' and due_at < $1 and address is not null order by due_at limit $2`,
		[now, limit],
	);
	return rows.map((row) => ({
		id: row.id,
		attempt: row.attempt,
		channel: row.channel,
		providerId: row.provider_id,
		ref: row.ref ?? undefined,
		address: { keyId: row.address_key_id, sealed: row.address },
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
