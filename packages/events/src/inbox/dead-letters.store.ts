import type { Database } from "@lango/postgres";

export type DeadLetterRow = {
	position: bigint;
	event_id: string | null;
	type: string;
	subject: string | null;
	body: Buffer;
	attempts: number;
	reason: string;
	dead_at: Date;
	received_at: Date;
	waiting: number;
};

const waitingMax = 1_000;

type Listing = {
	consumer: string;
	after: bigint;
	limit: number;
	type: string | undefined;
	since: Date | undefined;
};

/**
 * Lists dead letters of a consumer after a position, in order of arrival. `waiting` counts the events behind
 * each, up to 1,000.
 */
export function listDead(
	db: Database,
	{ consumer, after, limit, type, since }: Listing,
): Promise<DeadLetterRow[]> {
	return db.query<DeadLetterRow>(
		`select position, event_id, type, subject, body, attempts, reason, dead_at, received_at,
		        (select count(*)::int from (
		           select from deliveries e
		            where e.consumer = d.consumer and e.subject = d.subject and e.position > d.position
		            limit ${waitingMax}) e) as waiting
		   from deliveries d
		  where consumer = $1 and dead_at is not null and position > $2
		    and ($4::text is null or type = $4) and ($5::timestamptz is null or dead_at >= $5)
		  order by position
		  limit $3`,
		[consumer, after, limit, type ?? null, since ?? null],
	);
}

/** Makes a dead letter due again with a full number of attempts. Returns false if it does not exist. */
export async function reviveDead(
	db: Database,
	{ consumer, position, now }: { consumer: string; position: bigint; now: Date },
): Promise<boolean> {
	const rows = await db.query(
		`update deliveries set dead_at = null, attempts = 0, next_attempt_at = $3
		  where consumer = $1 and position = $2 and dead_at is not null returning 1`,
		[consumer, position, now],
	);
	return rows.length === 1;
}

/** Removes a dead letter and records it as applied. Returns undefined if it does not exist. */
export async function removeDead(
	db: Database,
	{ consumer, position, now }: { consumer: string; position: bigint; now: Date },
): Promise<{ subject: string | null } | undefined> {
	const [row] = await db.query<{ subject: string | null }>(
		`with gone as (
		   delete from deliveries where consumer = $1 and position = $2 and dead_at is not null
		   returning event_id, subject),
		 noted as (
		   insert into inbox (event_id, consumer, applied_at, seen_at)
		   select event_id, $1, $3::timestamptz, $3::timestamptz from gone where event_id is not null
		   on conflict on constraint inbox__pkey do nothing)
		 select subject from gone`,
		[consumer, position, now],
	);
	return row;
}
