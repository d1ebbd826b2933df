import type { Database } from "@lango/postgres";

/** The waiting events in a service's database: unpublished, unapplied, and dead. */
export type Backlog = {
	unpublished: number;
	/** The age of the oldest unpublished event; 0 if all events are published. */
	unpublishedSeconds: number;
	unapplied: number;
	unappliedSeconds: number;
	dead: number;
};

const countMax = 10_000;

/** Counts the waiting events, each kind up to 10,000. Ages are relative to the given time. */
export async function readBacklog(
	db: Database,
	{ consumer, now }: { consumer: string; now: Date },
): Promise<Backlog> {
	const [row] = await db.query<Backlog>(
		`select (select count(*)::int from (
		          select from outbox where published_at is null limit $3) o) as unpublished,
		        greatest(0, extract(epoch from $2::timestamptz - (
		          select (envelope->>'time')::timestamptz from outbox where published_at is null
		           order by position limit 1)))::float8 as "unpublishedSeconds",
		        (select count(*)::int from (
		          select from deliveries where consumer = $1 and dead_at is null limit $3) d) as unapplied,
		        greatest(0, extract(epoch from $2::timestamptz - (
		          select min(received_at) from (
		            select received_at from deliveries where consumer = $1 and dead_at is null
		             order by position limit $3) d)))::float8 as "unappliedSeconds",
		        (select count(*)::int from (
		          select from deliveries where consumer = $1 and dead_at is not null limit $3) d) as dead`,
		[consumer, now, countMax],
	);
	if (row === undefined) throw new Error("the database counts nothing");
	return row;
}
