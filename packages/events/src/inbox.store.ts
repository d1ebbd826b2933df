import type { Database } from "@lango/postgres";

/**
 * Notes that an event came to a consumer, and whether for the first time. Of two deliveries at once the second waits
 * until the first has committed, and is then the first itself if that was rolled back.
 */
export async function recordDelivery(
	db: Database,
	{ eventId, consumer, now }: { eventId: string; consumer: string; now: Date },
): Promise<{ isFirst: boolean }> {
	const [row] = await db.query<{ deliveries: number }>(
		`insert into inbox (event_id, consumer, applied_at, seen_at) values ($1, $2, $3, $3)
		 on conflict on constraint inbox__pkey do update set seen_at = excluded.seen_at, deliveries = inbox.deliveries + 1
		 returning deliveries`,
		[eventId, consumer, now],
	);
	return { isFirst: row?.deliveries === 1 };
}

/** Removes notes of events last seen before a moment, at most `limit`, and says how many. */
export async function removeDeliveries(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const rows = await db.query(
		`delete from inbox where (event_id, consumer) in (
		   select event_id, consumer from inbox where seen_at < $1 order by seen_at limit $2 for update skip locked)
		 returning 1`,
		[before, limit],
	);
	return rows.length;
}
