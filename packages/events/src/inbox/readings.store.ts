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

export type Holding = { consumer: string; stream: string; holder: string; staySeconds: number };

/** Takes the turn at a stream, or keeps it; undefined while it is another's, unless it is sure that this one is gone. */
export async function takeTurn(
	db: Database,
	{ consumer, stream, holder, staySeconds, isSure }: Holding & { isSure: boolean },
): Promise<Place | undefined> {
	const [row] = await db.query<{
		sequence: bigint;
		stream_made_at: Date | null;
		replay_from: Date | null;
	}>(
		`update readings set holder = $3, held_until = clock_timestamp() + make_interval(secs => $4)
		  where consumer = $1 and stream = $2
		    and ($5 or holder is null or holder = $3 or held_until is null or held_until < clock_timestamp())
		 returning sequence, stream_made_at, replay_from`,
		[consumer, stream, holder, staySeconds, isSure],
	);
	if (row === undefined) return undefined;
	return {
		sequence: Number(row.sequence),
		streamMadeAt: row.stream_made_at ?? undefined,
		replayFrom: row.replay_from ?? undefined,
	};
}

/** Keeps the turn; false when it is another's by now or somebody asked to read again. */
export async function keepTurn(
	db: Database,
	{ consumer, stream, holder, staySeconds }: Holding,
): Promise<boolean> {
	const rows = await db.query(
		`update readings set held_until = clock_timestamp() + make_interval(secs => $4)
		  where consumer = $1 and stream = $2 and holder = $3 and replay_from is null returning 1`,
		[consumer, stream, holder, staySeconds],
	);
	return rows.length === 1;
}

/** Moves a consumer to a place; false when the turn is not the holder's, or the wish to read again is not the one that is met. */
export async function moveReading(
	db: Database,
	{ consumer, stream, holder }: Omit<Holding, "staySeconds">,
	{ sequence, streamMadeAt, met }: Omit<Place, "replayFrom"> & { met: Date | undefined },
): Promise<boolean> {
	const rows = await db.query(
		`update readings set sequence = $4, stream_made_at = $5, replay_from = null
		  where consumer = $1 and stream = $2 and holder = $3 and replay_from is not distinct from $6::timestamptz returning 1`,
		[consumer, stream, holder, sequence, streamMadeAt ?? null, met ?? null],
	);
	return rows.length === 1;
}

/** Lets another process have the turn at once. */
export async function giveTurn(
	db: Database,
	{ consumer, stream, holder }: Omit<Holding, "staySeconds">,
): Promise<void> {
	await db.query(
		"update readings set holder = null, held_until = null where consumer = $1 and stream = $2 and holder = $3",
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
