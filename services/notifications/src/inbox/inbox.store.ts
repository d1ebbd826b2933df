import type { Database } from "@lango/postgres";

/** An item of a person's inbox. */
export type InboxItem = {
	id: string;
	title: string;
	body: string;
	link: string | undefined;
	category: string;
	template: string;
	createdAt: Date;
	seenAt: Date | undefined;
	readAt: Date | undefined;
	archivedAt: Date | undefined;
	/** Its position in the list: microseconds since 1970. */
	place: string;
};

/** An inbox has at most this many items; the oldest are removed. */
const itemsMax = 500;

/**
 * Adds an item unless it exists, and removes the oldest ones beyond 500. Returns false if the person is not
 * known. Call it inside the tenant.
 */
export async function addItem(
	tx: Database,
	item: Pick<InboxItem, "id" | "title" | "body" | "category" | "template"> & {
		tenantId: string;
		link?: string;
		userId: string;
		now: Date;
	},
): Promise<boolean> {
	const { tenantId, userId } = item;
	const known = await tx.query("select from recipients where tenant_id = $1 and id = $2 for key share", [
		tenantId,
		userId,
	]);
	if (known.length === 0) return false;
	await tx.query(
		`insert into inbox_items (tenant_id, id, user_id, title, body, link, category, template, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict on constraint inbox_items__pkey do nothing`,
		[
			...[tenantId, item.id, userId, item.title, item.body, item.link ?? null],
			...[item.category, item.template, item.now],
		],
	);
	await tx.query(
		`delete from inbox_items where tenant_id = $1 and user_id = $2 and id in (
		   select id from inbox_items where tenant_id = $1 and user_id = $2 order by created_at desc, id desc offset $3)`,
		[tenantId, userId, itemsMax],
	);
	return true;
}

/** Which items of an inbox are listed. */
export type ItemsQuery = {
	userId: string;
	/** `inbox`: everything that is not archived. */
	state: "inbox" | "unread" | "archived";
	after: readonly [string, string] | undefined;
	limit: number;
};

const itemColumns = "id, title, body, link, category, template, created_at, seen_at, read_at, archived_at";
const columns = `${itemColumns}, (extract(epoch from created_at) * 1000000)::bigint::text as place`;
type Row = {
	id: string;
	title: string;
	body: string;
	link: string | null;
	category: string;
	template: string;
	created_at: Date;
	seen_at: Date | null;
	read_at: Date | null;
	archived_at: Date | null;
	place: string;
};

const toItem = <R extends Omit<Row, "place">>({
	link,
	created_at,
	seen_at,
	read_at,
	archived_at,
	...row
}: R) => ({
	...row,
	link: link ?? undefined,
	createdAt: created_at,
	seenAt: seen_at ?? undefined,
	readAt: read_at ?? undefined,
	archivedAt: archived_at ?? undefined,
});

/** Lists a person's items, the newest first. Call it inside the tenant. */
export async function listItems(
	tx: Database,
	{ userId, state, after, limit }: ItemsQuery,
): Promise<InboxItem[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from inbox_items
		  where user_id = $1 and (archived_at is not null) = ($2 = 'archived') and ($2 <> 'unread' or read_at is null)
		    and ($3::bigint is null or (created_at, id) < (timestamptz 'epoch' + $3 * interval '1 microsecond', $4::uuid))
		  order by created_at desc, id desc limit $5`,
		[userId, state, after?.[0] ?? null, after?.[1] ?? null, limit],
	);
	return rows.map(toItem);
}

/** Counts the items that are not archived and were not read, or not even seen. Call it inside the tenant. */
export async function countItems(tx: Database, userId: string): Promise<{ unread: number; unseen: number }> {
	const [row] = await tx.query<{ unread: number; unseen: number }>(
		`select count(*) filter (where read_at is null)::integer as unread,
		        count(*) filter (where seen_at is null)::integer as unseen
		   from inbox_items where user_id = $1 and archived_at is null`,
		[userId],
	);
	return row ?? { unread: 0, unseen: 0 };
}

/** A person of a tenant who changes something now. */
type OfPerson = { tenantId: string; userId: string; now: Date };

/** What a person changes of an item; undefined: not changed. What was read was also seen. */
export type ItemChange = { seen?: boolean; read?: boolean; archived?: boolean };

/**
 * Changes an item. Returns it, or undefined if the person has none with this id. Call it inside the tenant.
 */
export async function changeItem(
	tx: Database,
	{ tenantId, id, userId, change, now }: OfPerson & { id: string; change: ItemChange },
): Promise<Omit<InboxItem, "place"> | undefined> {
	const { seen, read, archived } = change;
	const [row] = await tx.query<Omit<Row, "place">>(
		`update inbox_items
		    set seen_at = case when $3 or $4 then coalesce(seen_at, $6) when not $3 then null else seen_at end,
		        read_at = case when $4 then coalesce(read_at, $6) when not $4 then null else read_at end,
		        archived_at = case when $5 then coalesce(archived_at, $6) when not $5 then null else archived_at end
		  where tenant_id = $7 and id = $1 and user_id = $2 returning ${itemColumns}`,
		[id, userId, seen ?? null, read ?? null, archived ?? null, now, tenantId],
	);
	return row && toItem(row);
}

/** Marks every item as read that was not. Returns their ids. Call it inside the tenant. */
export async function readAll(tx: Database, { tenantId, userId, now }: OfPerson): Promise<string[]> {
	const rows = await tx.query<{ id: string }>(
		`update inbox_items set read_at = $2, seen_at = coalesce(seen_at, $2)
		  where tenant_id = $3 and user_id = $1 and read_at is null and archived_at is null returning id`,
		[userId, now, tenantId],
	);
	return rows.map(({ id }) => id);
}

/** Marks every item as seen that was not. Call it inside the tenant. */
export async function seeAll(tx: Database, { tenantId, userId, now }: OfPerson): Promise<void> {
	await tx.query(
		`update inbox_items set seen_at = $2
		  where tenant_id = $3 and user_id = $1 and seen_at is null and archived_at is null`,
		[userId, now, tenantId],
	);
}

/** Removes items of every inbox that are too old. Returns how many it removed, at most `limit`. */
export async function purgeInbox(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const [row] = await db.query<{ removed: number }>("select purge_inbox($1, $2) as removed", [before, limit]);
	return row?.removed ?? 0;
}

/** What a person's inbox has since a time: new items, the oldest first, and the counts. */
export type InboxNews = { items: InboxItem[]; unread: number; unseen: number };

/** A place in a person's inbox: microseconds since 1970, and the id of an item. */
export type InboxPlace = { place: string; id: string };

/** As many items of a person are read at once. */
export const newsMax = 50;

/**
 * Returns the news of several people by one statement each for items and counts: the oldest items behind a
 * place, at most `newsMax` a person. Call it inside the tenant.
 */
export async function listNews(
	tx: Database,
	tenantId: string,
	people: ReadonlyMap<string, InboxPlace>,
): Promise<ReadonlyMap<string, InboxNews>> {
	const users = [...people.keys()];
	const [places, ids] = [
		[...people.values()].map(({ place }) => place),
		[...people.values()].map(({ id }) => id),
	];
	const rows = await tx.query<Row & { user_id: string }>(
		`select i.* from unnest($1::uuid[], $2::bigint[], $3::uuid[]) as p (user_id, place, id)
		   cross join lateral (
		     select user_id, ${columns} from inbox_items
		      where tenant_id = $5 and user_id = p.user_id and archived_at is null
		        and (created_at, id) > (timestamptz 'epoch' + p.place * interval '1 microsecond', p.id)
		      order by created_at, id limit $4) i
		  order by i.created_at, i.id`,
		[users, places, ids, newsMax, tenantId],
	);
	const counts = await tx.query<{ user_id: string; unread: number; unseen: number }>(
		`select p.user_id, count(i.id) filter (where i.read_at is null)::integer as unread,
		        count(i.id) filter (where i.seen_at is null)::integer as unseen
		   from unnest($1::uuid[]) as p (user_id)
		   left join inbox_items i on i.tenant_id = $2 and i.user_id = p.user_id and i.archived_at is null
		  group by p.user_id`,
		[users, tenantId],
	);
	const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
	return new Map(
		counts.map(({ user_id, unread, unseen }) => [
			user_id,
			{ unread, unseen, items: (byUser.get(user_id) ?? []).map(toItem) },
		]),
	);
}
