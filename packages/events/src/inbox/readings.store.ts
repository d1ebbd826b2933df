import type { Database } from "@lango/postgres";
import type { Place } from "../transport.ts";

/**
 * Notes which types a consumer asks for. One it never asked for is read from the beginning of the stream, and those
 * beside it with it: what they have applied they note.
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

export type Holding = {
	consumer: string;
	stream: string;
	/** What this process knows of the types in the stream. */
	types: readonly string[];
	holder: string;
	staySeconds: number;
};

/** For so long nobody who knows all that is asked for has come: then one who knows less may read. */
const yieldSeconds = 20;

/**
 * Takes the turn at a stream, or keeps it; undefined while it is another's, unless it is sure that this one is gone. Who does not
 * know all types that were asked for yields: it would read past them. When nobody has come who does, it takes the turn and
 * what it knows is all that is asked for; who then comes and knows more reads everything again.
 */
export async function takeTurn(
	db: Database,
	{ consumer, stream, types, holder, staySeconds, isSure }: Holding & { isSure: boolean },
): Promise<Place | undefined> {
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
		[consumer, stream, holder, staySeconds, isSure, types, yieldSeconds],
	);
	if (row === undefined) await askForMore(db, { consumer, stream, types });
	if (row?.may !== true) return undefined;
	return {
		sequence: Number(row.sequence),
		streamMadeAt: row.stream_made_at ?? undefined,
		replayFrom: row.replay_from ?? undefined,
	};
}

/** Has one that reads and knows less than this process yield to it. Where each knows what the other does not, who reads goes on. */
async function askForMore(
	db: Database,
	{ consumer, stream, types }: Pick<Holding, "consumer" | "stream" | "types">,
): Promise<void> {
	await db.query(
		`update readings set types = $3::text[], replay_from = to_timestamp(0)
		  where consumer = $1 and stream = $2 and types <@ $3::text[] and not types @> $3::text[]`,
		[consumer, stream, types],
	);
}

/** Keeps the turn; false when it is another's by now, somebody asked to read again, or for types that this process does not know. */
export async function keepTurn(
	db: Database,
	{ consumer, stream, types, holder, staySeconds }: Holding,
): Promise<boolean> {
	const rows = await db.query(
		`update readings set held_until = clock_timestamp() + make_interval(secs => $4)
		  where consumer = $1 and stream = $2 and holder = $3 and replay_from is null and types <@ $5::text[]
		 returning 1`,
		[consumer, stream, holder, staySeconds, types],
	);
	return rows.length === 1;
}

/**
 * Moves a consumer to a place; false when the turn is not the holder's, the wish to read again is not the one that is met, or
 * it was made for types that the holder does not know.
 */
export async function moveReading(
	db: Database,
	{ consumer, stream, types, holder }: Omit<Holding, "staySeconds">,
	{ sequence, streamMadeAt, met }: Omit<Place, "replayFrom"> & { met: Date | undefined },
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

/** Lets another process have the turn at once. */
export async function giveTurn(
	db: Database,
	{ consumer, stream, holder }: Omit<Holding, "staySeconds" | "types">,
): Promise<void> {
	await db.query(
		"update readings set holder = null, held_until = clock_timestamp() where consumer = $1 and stream = $2 and holder = $3",
		[consumer, stream, holder],
	);
}

/** Asks whoever reads to read again from a moment on; says in how many streams. */
export async function wishReplay(
	db: Database,
	{ consumer, since }: { consumer: string; since: Date },
): Promise<number> {
	const rows = await db.query(
		"update readings set replay_from = least(replay_from, $2::timestamptz) where consumer = $1 returning 1",
		[consumer, since],
	);
	return rows.length;
}
