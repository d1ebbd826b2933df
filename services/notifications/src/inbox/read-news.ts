import { type Database, inTenant } from "@lango/postgres";
import { type InboxNews, type InboxPlace, listNews, newsMax } from "./inbox.store.ts";

const lowestId = "00000000-0000-0000-0000-000000000000";

/** Reads what the inboxes of people of a tenant have since a time each: in pages, until all is read. */
export async function readNews(
	db: Database,
	tenantId: string,
	people: ReadonlyMap<string, Date>,
): Promise<ReadonlyMap<string, InboxNews>> {
	const all = new Map<string, InboxNews>();
	let places = new Map(
		[...people].map(([userId, since]): [string, InboxPlace] => [
			userId,
			{ place: String(since.getTime() * 1_000), id: lowestId },
		]),
	);
	while (places.size > 0) {
		const page = await inTenant(db, tenantId, (tx) => listNews(tx, tenantId, places));
		places = new Map();
		for (const [userId, { items, ...counts }] of page) {
			all.set(userId, { ...counts, items: [...(all.get(userId)?.items ?? []), ...items] });
			const last = items.length < newsMax ? undefined : items.at(-1);
			if (last !== undefined) places.set(userId, { place: last.place, id: last.id });
		}
	}
	return all;
}
