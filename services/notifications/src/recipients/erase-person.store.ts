import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** Records that a person was erased. Returns whether there is work left. */
export async function recordErased(db: Database, { id, now }: { id: string; now: Date }): Promise<boolean> {
	const [row] = await db.query<{ is_open: boolean }>(
		`insert into erased_people as e (id, erased_at) values ($1, $2)
		 on conflict on constraint erased_people__pkey do update set erased_at = e.erased_at
		 returning done_at is null as is_open`,
		[id, now],
	);
	return row?.is_open ?? false;
}

/** Lists people whose rows are not completely erased, in the order of their ids. */
export async function listHalfErased(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ id: string }>(
		`select id from erased_people where done_at is null and erased_at < $1 and ($2::uuid is null or id > $2)
		  order by id limit $3`,
		[before, after ?? null, limit],
	);
	return rows.map(({ id }) => id);
}

/** Records that nothing is left of a person. */
export async function recordErasedCompletely(
	tx: Database,
	{ id, now }: { id: string; now: Date },
): Promise<void> {
	await tx.query("update erased_people set done_at = $2 where id = $1", [id, now]);
}

/** Lists the tenants in which a person is known. */
export async function listPlaces(db: Database, id: string): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>("select tenant_id from places_of_person($1)", [id]);
	return rows.map(({ tenant_id }) => tenant_id);
}

/** Returns the id of the tenant with this slug; undefined if not known. */
export async function findTenantId(db: Database, slug: string): Promise<string | undefined> {
	const [row] = await db.query<{ id: string }>("select id from tenants where slug = $1", [slug]);
	return row?.id;
}

/** A person's deliveries: those addressed to the user, and those to these address keys. */
type Of = { tenantId: string; id: string; keys: readonly Buffer[]; limit: number };

/**
 * Locks and lists deliveries of a person that have not ended, and whether the SMS or WhatsApp message may
 * have been sent. Call it inside the tenant.
 */
export async function listOpenDeliveries(
	tx: Database,
	{ tenantId, id, keys, limit }: Of,
): Promise<Array<{ id: string; mayBeSent: boolean }>> {
	const rows = await tx.query<{ id: string; may_be_sent: boolean }>(
		`select id, status = 'unknown' or status = 'sending' and called_at is not null and channel in ('sms', 'whatsapp') as may_be_sent
		   from message_deliveries
		  where tenant_id = $4 and status in ('queued', 'sending', 'unknown') and (user_id = $1 or address_key = any ($2))
		  order by id limit $3 for update`,
		[id, [...keys], limit, tenantId],
	);
	return rows.map((row) => ({ id: row.id, mayBeSent: row.may_be_sent }));
}

/**
 * Erases the addresses of a person's deliveries with their keys, also where the address was purged, and the
 * data of messages without another recipient. Returns how many deliveries it erased, at most `limit`. Call it
 * inside the tenant.
 */
export async function eraseDeliveries(tx: Database, { tenantId, id, keys, limit }: Of): Promise<number> {
	const [row] = await tx.query<{ erased: number }>(
		`with theirs as (
		   select d.id from message_deliveries d
		    where d.tenant_id = $4 and (d.address is not null or d.address_masked <> '')
		      and (d.user_id = $1 or d.address_key = any ($2)) limit $3
		 ), erased as (
		   update message_deliveries d
		      set address = null, address_key_id = null, text_key = null, address_masked = '', address_key = sha256(uuid_send(d.id))
		     from theirs where d.tenant_id = $4 and d.id = theirs.id returning d.message_id
		 ), emptied as (
		   update messages m set data = null, data_key_id = null
		    where m.tenant_id = $4 and m.recipients = 1 and m.id in (select message_id from erased)
		 )
		 select count(*)::integer as erased from erased`,
		[id, [...keys], limit, tenantId],
	);
	return row?.erased ?? 0;
}

/** Removes a person's digests: none of them is sent any more. Call it inside the tenant. */
export async function removeDigests(tx: Database, id: string): Promise<void> {
	await tx.query("delete from digest_windows where user_id = $1", [id]);
}

/** Removes mails with links to a person that are not accepted yet. */
export async function removeLinkMailsOf(tx: Database, id: string): Promise<void> {
	await tx.query("delete from link_mails where user_id = $1", [id]);
}

/** Removes a person with preferences and contact points. Call it inside the tenant. */
export async function removePerson(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
	await tx.query("delete from preferences where tenant_id = $1 and user_id = $2", [tenantId, id]);
	await tx.query("delete from recipients where tenant_id = $1 and id = $2", [tenantId, id]);
}

/** An address of a person, and the key under which it is found. */
export type StoredAddress = { channel: Channel; address: Sealed; addressKey: Buffer };

/** Lists a person's e-mail address and further addresses. Call it inside the tenant. */
export async function listAddresses(tx: Database, id: string): Promise<StoredAddress[]> {
	const rows = await tx.query<{ channel: Channel; key_id: string; sealed: Buffer; address_key: Buffer }>(
		`select 'email' as channel, email_key_id as key_id, email as sealed, email_address_key as address_key
		   from recipients where id = $1 and email is not null
		 union all
		 select channel, address_key_id, address, address_key from contact_points where user_id = $1`,
		[id],
	);
	return rows.map(({ channel, key_id, sealed, address_key }) => ({
		...{ channel, addressKey: address_key },
		address: { keyId: key_id, sealed },
	}));
}
