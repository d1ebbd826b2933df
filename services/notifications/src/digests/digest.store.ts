import type { Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Channel } from "../channel.ts";

/** An open digest. */
export type DigestWindow = {
	id: string;
	triggerId: string | null;
	triggerName: string | null;
	channel: Channel;
	userId: string;
	userName: string;
	key: string;
	items: number;
	itemsMax: number;
	openedAt: Date;
	dueAt: Date;
};

type Row = {
	id: string;
	trigger_id: string | null;
	trigger_name: string | null;
	channel: Channel;
	user_id: string;
	key: string;
	items: number;
	items_max: number;
	opened_at: Date;
	due_at: Date;
};

const fromRow = (row: Row, userName: string): DigestWindow => ({
	id: row.id,
	triggerId: row.trigger_id,
	triggerName: row.trigger_name,
	channel: row.channel,
	userId: row.user_id,
	userName,
	key: row.key,
	items: row.items,
	itemsMax: row.items_max,
	openedAt: row.opened_at,
	dueAt: row.due_at,
});

/** Which window an item belongs to, and when a new one closes. */
export type Place = {
	tenantId: string;
	triggerId: string;
	channel: Channel;
	userId: string;
	key: string;
	itemsMax: number;
	/** Minutes after the first item; or a time of day, on a weekday (1 is Monday) or every day. */
	closes: { minutes: number } | { at: string; weekday: number | undefined };
};

/**
 * Counts an item in the open window of its place, or opens one. A full window takes no more. Returns the
 * window with the item. Call it inside the tenant.
 */
export async function countItem(
	tx: Database,
	{ tenantId, triggerId, channel, userId, key, itemsMax, closes }: Place,
	now: Date,
): Promise<{ id: string; items: number; dueAt: Date; isFull: boolean }> {
	const [minutes, at, weekday] =
		"minutes" in closes ? [closes.minutes, null, null] : [null, closes.at, closes.weekday ?? null];
	const [person] = await tx.query<{ time_zone: string }>(
		`select coalesce(r.time_zone, t.time_zone) as time_zone from recipients r join tenants t on t.id = $1
		  where r.tenant_id = $1 and r.id = $2`,
		[tenantId, userId],
	);
	if (person === undefined) throw new Error(`the person ${userId} is not known`);
	const [row] = await tx.query<{ id: string; items: number; due_at: Date; is_full: boolean }>(
		`insert into digest_windows as w (tenant_id, trigger_id, channel, user_id, key, status, items, items_max, opened_at, due_at)
		 values ($1, $2, $3, $4, $5, 'open', 1, $6, $7::timestamptz, coalesce($7::timestamptz + $8::integer * interval '1 minute',
		   next_local_time($7::timestamptz, $11, $9::time, $10::integer)))
		 on conflict (tenant_id, trigger_id, channel, user_id, key) where status = 'open' do update
		    set items = w.items + 1,
		        status = case when w.items + 1 >= w.items_max then 'closing' else 'open' end,
		        due_at = case when w.items + 1 >= w.items_max then $7::timestamptz else w.due_at end
		 returning w.id, w.items, w.due_at, w.status = 'closing' as is_full`,
		[tenantId, triggerId, channel, userId, key, itemsMax, now, minutes, at, weekday, person.time_zone],
	);
	if (row === undefined) throw new Error("the window was not recorded");
	return { id: row.id, items: row.items, dueAt: row.due_at, isFull: row.is_full };
}

/** Records what a digest says of a message. Call it inside the tenant. */
export async function recordItem(
	tx: Database,
	{
		tenantId,
		messageId,
		windowId,
		item,
	}: { tenantId: string; messageId: string; windowId: string; item: Sealed },
	now: Date,
): Promise<void> {
	await tx.query(
		`insert into digest_items (tenant_id, message_id, window_id, item_key_id, item, added_at) values ($1, $2, $3, $4, $5, $6)`,
		[tenantId, messageId, windowId, item.keyId, item.sealed, now],
	);
}

/** A window that takes no more items. */
export type ClosingWindow = { id: string; triggerId: string | null; channel: Channel; userId: string };

/**
 * Closes a window that is due to further items. Returns undefined if it is not due, or has ended. Call it
 * inside the tenant.
 */
export async function beginClosing(
	tx: Database,
	{ id, now }: { id: string; now: Date },
): Promise<ClosingWindow | undefined> {
	const [row] = await tx.query<{ id: string; trigger_id: string | null; channel: Channel; user_id: string }>(
		`update digest_windows set status = 'closing'
		  where id = $1 and (status = 'closing' or status = 'open' and due_at <= $2) returning id, trigger_id, channel, user_id`,
		[id, now],
	);
	return row && { id: row.id, triggerId: row.trigger_id, channel: row.channel, userId: row.user_id };
}

/** Lists the items of a window in the order in which they came. Call it inside the tenant. */
export async function listItems(tx: Database, windowId: string): Promise<Sealed[]> {
	const rows = await tx.query<{ item_key_id: string; item: Buffer }>(
		"select item_key_id, item from digest_items where window_id = $1 and item is not null order by added_at, message_id",
		[windowId],
	);
	return rows.map(({ item_key_id, item }) => ({ keyId: item_key_id, sealed: item }));
}

/**
 * Ends a window with its message, or with the reason why it has no message, and erases its items. Returns
 * false if it has ended. Call it inside the tenant.
 */
export async function endWindow(
	tx: Database,
	{ id, messageId, reason }: { id: string; messageId?: string; reason?: string },
	now: Date,
): Promise<boolean> {
	const rows = await tx.query(
		`update digest_windows set status = 'closed', message_id = $2, reason = $3, closed_at = $4
		  where id = $1 and status = 'closing' returning id`,
		[id, messageId ?? null, reason ?? null, now],
	);
	if (rows.length === 0) return false;
	await tx.query("update digest_items set item = null, item_key_id = null where window_id = $1", [id]);
	return true;
}

/** Lists open windows in the order of their ids. Call it inside the tenant. */
export async function listOpenWindows(
	tx: Database,
	{ tenantId, after, limit }: { tenantId: string; after: string | undefined; limit: number },
): Promise<DigestWindow[]> {
	const rows = await tx.query<Row>(
		`select w.id, w.trigger_id, t.name as trigger_name, w.channel, w.user_id, w.key, w.items, w.items_max,
		        w.opened_at, w.due_at
		   from digest_windows w
		   left join triggers t on t.tenant_id = w.tenant_id and t.id = w.trigger_id
		  where w.status = 'open' and ($1::uuid is null or w.id > $1) order by w.id limit $2`,
		[after ?? null, limit],
	);
	if (rows.length === 0) return [];
	const people = await tx.query<{ id: string; name: string }>(
		"select id, name from recipients where tenant_id = $1 and id = any ($2)",
		[tenantId, rows.map(({ user_id }) => user_id)],
	);
	const names = new Map(people.map(({ id, name }) => [id, name]));
	return rows.map((row) => fromRow(row, names.get(row.user_id) ?? ""));
}

/** Makes an open window due. Returns false if there is none. Call it inside the tenant. */
export async function makeDue(tx: Database, { id, now }: { id: string; now: Date }): Promise<boolean> {
	const rows = await tx.query(
		"update digest_windows set due_at = least(due_at, $2) where id = $1 and status = 'open' returning id",
		[id, now],
	);
	return rows.length > 0;
}

/** Lists windows of every tenant that should have ended, in the order of their ids. */
export async function listOverdueWindows(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await db.query<{ tenant_id: string; id: string }>(
		"select tenant_id, id from list_overdue_digests($1, $2, $3)",
		[before, after ?? null, limit],
	);
	return rows.map(({ tenant_id, id }) => ({ id, tenantId: tenant_id }));
}
