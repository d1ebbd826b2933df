import type { Database } from "@lango/postgres";
import {
	type Delivery,
	type DeliveryRoute,
	type DeliveryStatus,
	deliveryKeyOf,
	type NewDelivery,
	type SendingGateway,
	type Trust,
} from "./delivery.ts";

/** A delivery that was stored: its object, and whether the same bytes were stored before. */
export type StoredDelivery = { objectKey: string; isNew: boolean };

/**
 * Stores deliveries in one statement, in their order. The same bytes on the same route are one row, which
 * counts its duplicates.
 */
export async function storeDeliveries(
	db: Database,
	deliveries: readonly NewDelivery[],
): Promise<StoredDelivery[]> {
	const byKey = Map.groupBy(deliveries, (delivery) => deliveryKeyOf(delivery).toString("hex"));
	const rows = [...byKey].flatMap(([key, same]) => {
		const [first] = same;
		if (first === undefined) return [];
		const { raw, headers, ...rest } = first;
		return [{ ...rest, key, headers, raw: raw.toString("base64"), again: same.length - 1 }];
	});
	return db.query<StoredDelivery>(
		`insert into webhook_deliveries as known (gateway, route, profile_id, token_hash, object_key, received_at, remote_ip,
		   headers, raw, delivery_key, status, duplicates)
		 select gateway, route, "profileId", "tokenHash", "objectKey", "receivedAt", "remoteIp", headers, decode(raw, 'base64'),
		        decode(key, 'hex'), 'received', again
		   from json_to_recordset($1::json) as given (gateway text, route text, "profileId" uuid, "tokenHash" text,
		        "objectKey" text, "receivedAt" timestamptz, "remoteIp" text, headers jsonb, raw text, key text, again integer)
		 on conflict (delivery_key) do update set duplicates = known.duplicates + 1 + excluded.duplicates
		 returning object_key as "objectKey", xmax = 0 as "isNew"`,
		[JSON.stringify(rows)],
	);
}

/** A row of `columns`. */
export type Row = {
	id: string;
	gateway: SendingGateway;
	route: DeliveryRoute;
	profile_id: string | null;
	token_hash: string | null;
	object_key: string;
	received_at: Date;
	remote_ip: string;
	headers: Record<string, string>;
	raw: Buffer;
	trust: Trust | null;
	status: DeliveryStatus;
	tries: number;
	error: string | null;
	duplicates: number;
};

/** The columns of a delivery. */
export const columns = `id::text as id, gateway, route, profile_id, token_hash, object_key, received_at, remote_ip, headers, raw, trust,
	status, tries, error, duplicates`;

/** The delivery of a row. */
export const fromRow = (row: Row): Delivery => ({
	id: row.id,
	gateway: row.gateway,
	route: row.route,
	profileId: row.profile_id ?? undefined,
	tokenHash: row.token_hash ?? undefined,
	objectKey: row.object_key,
	receivedAt: row.received_at,
	remoteIp: row.remote_ip,
	headers: row.headers,
	raw: row.raw,
	trust: row.trust ?? undefined,
	status: row.status,
	tries: row.tries,
	error: row.error ?? undefined,
	duplicates: row.duplicates,
});

/** Lists the deliveries of an object that are not applied yet, the first first. */
export async function listReceived(db: Database, objectKey: string): Promise<Delivery[]> {
	const rows = await db.query<Row>(
		`select ${columns} from webhook_deliveries where object_key = $1 and status = 'received' order by id limit 100`,
		[objectKey],
	);
	return rows.map(fromRow);
}

/** Locks a delivery. Returns false if it was applied meanwhile. */
export async function lockReceived(tx: Database, id: string): Promise<boolean> {
	const rows = await tx.query(
		"select from webhook_deliveries where id = $1 and status = 'received' for update",
		[id],
	);
	return rows.length > 0;
}

/** What became of a delivery. */
export type DeliveryEnd = {
	status: Exclude<DeliveryStatus, "received">;
	trust: Trust;
	because: string | undefined;
	eventKey: string | undefined;
};

/** Stores what became of a delivery. */
export async function endDelivery(
	tx: Database,
	{ id, status, trust, because, eventKey, now }: DeliveryEnd & { id: string; now: Date },
): Promise<void> {
	await tx.query(
		`update webhook_deliveries set status = $2, trust = $3, error = $4, event_key = $5, tries = tries + 1, ended_at = $6
		  where id = $1`,
		[id, status, trust, because ?? null, eventKey ?? null, now],
	);
}

/** Counts a failed try, and returns the number of tries. */
export async function recordFailedTry(
	db: Database,
	{ id, error }: { id: string; error: string },
): Promise<number> {
	const [row] = await db.query<{ tries: number }>(
		"update webhook_deliveries set tries = tries + 1, error = $2 where id = $1 returning tries",
		[id, error.slice(0, 500)],
	);
	return row?.tries ?? 0;
}

/** Whether an event that happens once was applied before. */
export async function isEventApplied(tx: Database, eventKey: string): Promise<boolean> {
	const [row] = await tx.query(
		"select 1 as found from webhook_deliveries where event_key = $1 and status = 'done' limit 1",
		[eventKey],
	);
	return row !== undefined;
}

/**
 * Lists objects with a delivery that was stored before a time and is not applied, in the order of their
 * keys.
 */
export async function listUnapplied(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string }>> {
	return db.query<{ id: string }>(
		`select distinct object_key as id from webhook_deliveries
		  where status = 'received' and received_at < $1 and object_key > coalesce($2, '')
		  order by object_key limit $3`,
		[before, after ?? null, limit],
	);
}

/** Removes applied and ignored deliveries that were received before a time. Returns how many. */
export async function removeOld(db: Database, removal: Removal): Promise<number> {
	const rows = await db.query(
		`delete from webhook_deliveries where id in (
		   select id from webhook_deliveries where status in ('done', 'ignored') and received_at < $1
		    order by received_at limit $2)
		 returning id`,
		[removal.before, removal.limit],
	);
	return rows.length;
}

/** Removes ignored deliveries of senders who are not trusted, received before a time. Returns how many. */
export async function removeUntrusted(db: Database, removal: Removal): Promise<number> {
	const rows = await db.query(
		`delete from webhook_deliveries where id in (
		   select id from webhook_deliveries where status = 'ignored' and trust = 'none' and received_at < $1
		    order by received_at limit $2)
		 returning id`,
		[removal.before, removal.limit],
	);
	return rows.length;
}

type Removal = { before: Date; limit: number };
