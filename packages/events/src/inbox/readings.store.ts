import type { Database } from "@lango/postgres";
import type { ReadPosition } from "../transport.ts";

/**
 * Records the event types that a consumer subscribes to. A new type makes the whole stream be read from its
 * beginning; events that were applied already are ignored.
 */
export async function declareReading(
	db: Database,
	{ consumer, stream, types }: { consumer: string; stream: string; types: readonly string[] },
): Promise<void> {
	await db.query(
		`insert into readings (consumer, stream, types, replay_from) values ($1, $2, $3::text[], to_timestamp(0))
		 on conflict on constraint readings__pkey do update
		   set types = (select array_agg(distinct t order by t) from unnest(readings.types || excluded.types) t),
		       replay_from = case when readings.types @> excluded.types then readings.replay_from else to_timestamp(0) end`,
		[consumer, stream, types],
	);
}

export type Lease = {
	consumer: string;
	stream: string;
	/** What this process knows of the types in the stream. */
	types: readonly string[];
	holder: string;
	leaseSeconds: number;
};

/**
 * If no process that knows all subscribed types acquires the lease for this long, a process that knows fewer
 * may.
 */
const yieldSeconds = 20;

/**
 * Acquires or renews the lease of a stream and returns the position. Returns undefined if another process
 * holds it, unless `isSure`. A process that does not know all subscribed types yields, because it would skip
 * events. If no other process acquires the lease for `yieldSeconds`, it reads, and only its own types stay
 * subscribed; a process that knows more types reads the stream again later.
 */
export async function acquireLease(
	db: Database,
	{ consumer, stream, types, holder, leaseSeconds, isSure }: Lease & { isSure: boolean },
): Promise<ReadPosition | undefined> {
	const [row] = await db.query<{
		sequence: bigint;
		stream_made_at: Date | null;
		replay_from: Date | null;
		may: boolean;
	}>(
		`with asked as (
		   select r.consumer, r.stream,
		          $5 or r.types <@ $6::text[] or r.held_until is null
		            or r.held_until < clock_timestamp() - make_interval(secs => $7) as may
		     from readings r
		    where r.consumer = $1 and r.stream = $2
		      and ($5 or r.holder is null or r.holder = $3 or r.held_until is null or r.held_until < clock_timestamp())
		      for update)
		 update readings r
		    set holder = case when may then $3::uuid end,
		        held_until = case when may then clock_timestamp() + make_interval(secs => $4)
		                          when r.holder = $3 then clock_timestamp() else r.held_until end,
		        types = case when may then $6::text[] else r.types end,
		        replay_from = case when may and not r.types @> $6::text[] then to_timestamp(0) else r.replay_from end
		   from asked
		  where r.consumer = asked.consumer and r.stream = asked.stream and (may or r.holder = $3)
		 returning sequence, stream_made_at, replay_from, may`,
		[consumer, stream, holder, leaseSeconds, isSure, types, yieldSeconds],
	);
	if (row === undefined) await requestYield(db, { consumer, stream, types });
	if (row?.may !== true) return undefined;
	return {
		sequence: Number(row.sequence),
		streamMadeAt: row.stream_made_at ?? undefined,
		replayFrom: row.replay_from ?? undefined,
	};
}

/**
 * Makes a reader that knows fewer types yield to this process. If each knows types that the other does not,
 * the reader continues.
 */
async function requestYield(
	db: Database,
	{ consumer, stream, types }: Pick<Lease, "consumer" | "stream" | "types">,
): Promise<void> {
	await db.query(
		`update readings set types = $3::text[], replay_from = to_timestamp(0)
		  where consumer = $1 and stream = $2 and types <@ $3::text[] and not types @> $3::text[]`,
		[consumer, stream, types],
	);
}

/**
 * Renews the lease. Returns false if it was lost, if a replay was requested, or if a type was subscribed that
 * this process does not know.
 */
export async function renewLease(
	db: Database,
	{ consumer, stream, types, holder, leaseSeconds }: Lease,
): Promise<boolean> {
	const rows = await db.query(
		`update readings set held_until = clock_timestamp() + make_interval(secs => $4)
		  where consumer = $1 and stream = $2 and holder = $3 and replay_from is null and types <@ $5::text[]
		 returning 1`,
		[consumer, stream, holder, leaseSeconds, types],
	);
	return rows.length === 1;
}

/**
 * Stores a consumer's position. Returns false if the lease was lost, if the replay request is not the one in
 * `met`, or if a type was subscribed that the holder does not know.
 */
export async function moveReading(
	db: Database,
	{ consumer, stream, types, holder }: Omit<Lease, "leaseSeconds">,
	{ sequence, streamMadeAt, met }: Omit<ReadPosition, "replayFrom"> & { met: Date | undefined },
): Promise<boolean> {
	const rows = await db.query(
		`update readings set sequence = $4, stream_made_at = $5, replay_from = null
		  where consumer = $1 and stream = $2 and holder = $3 and replay_from is not distinct from $6::timestamptz
		    and types <@ $7::text[]
		 returning 1`,
		[consumer, stream, holder, sequence, streamMadeAt ?? null, met ?? null, types],
	);
	return rows.length === 1;
}

/** Releases the lease immediately. */
export async function releaseLease(
	db: Database,
	{ consumer, stream, holder }: Omit<Lease, "leaseSeconds" | "types">,
): Promise<void> {
	await db.query(
		"update readings set holder = null, held_until = clock_timestamp() where consumer = $1 and stream = $2 and holder = $3",
		[consumer, stream, holder],
	);
}

/** Requests that the consumer read its streams again from a time. Returns the number of streams. */
export async function recordReplayRequest(
	db: Database,
	{ consumer, since }: { consumer: string; since: Date },
): Promise<number> {
	const rows = await db.query(
		"update readings set replay_from = least(replay_from, $2::timestamptz) where consumer = $1 returning 1",
		[consumer, since],
	);
	return rows.length;
}

/** Whether a replay of one of the consumer's streams is requested. */
export async function isReplayRequested(db: Database, consumer: string): Promise<boolean> {
	const [row] = await db.query<{ is_requested: boolean }>(
		"select exists (select from readings where consumer = $1 and replay_from is not null) as is_requested",
		[consumer],
	);
	return row?.is_requested === true;
}
