import type { Database } from "@lango/postgres";
import { isErasure } from "./erasure.store.ts";

/** The signal of a commit that makes deliveries due. */
export const deliveriesSignal = "deliveries";

/** A message to store: an event, or a dead letter if `reason` is set. */
export type Arrival = {
	eventId: string;
	type: string;
	subject: string | undefined;
	body: Uint8Array;
	reason: string | undefined;
};

export type Keeping = {
	consumer: string;
	arrivals: readonly Arrival[];
	now: Date;
	/** The consumer's position and lease. Without it, messages are stored at any position. */
	step?: { stream: string; from: number; to: number; holder: string; leaseSeconds: number } | undefined;
};

/**
 * Stores messages in their order, except those that are stored or applied already. A step updates the
 * position in the same statement, or nothing is stored. A message whose subject waits behind a failed event
 * waits too; that event is locked meanwhile, so that a process that applies it sees the new message. A
 * message whose subject is being applied does not wait. The erasure of a person never waits. Returns the
 * number of messages that can be applied now.
 */
export async function keepArrivals(
	db: Database,
	{ consumer, arrivals, now, step }: Keeping,
): Promise<{ isDone: boolean; fresh: number }> {
	const [row] = await db.query<{ isDone: boolean; fresh: number }>(
		`with step as (
		   update readings set sequence = $10::bigint, held_until = clock_timestamp() + make_interval(secs => $12)
		    where consumer = $1 and stream = $8::text and holder = $11::uuid and sequence = $9::bigint
		      and replay_from is null
		   returning 1),
		 arrived as (
		   select * from unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::text[])
		     with ordinality as a (event_id, type, subject, body, reason, place)
		    where $8::text is null or exists (select from step)),
		 waiting as (
		   select d.subject
		     from (select s.subject, (select min(e.position) from deliveries e
		                               where e.consumer = $1 and e.subject = s.subject) as first
		             from (select distinct subject from arrived) s) f
		     join deliveries d on d.position = f.first and d.is_held
		      for share of d skip locked),
		 again as (
		   update inbox i set seen_at = $7::timestamptz, deliveries = i.deliveries + 1
		     from (select distinct event_id from arrived) a
		    where i.event_id = a.event_id and i.consumer = $1
		   returning i.event_id),
		 kept as (
		   insert into deliveries (consumer, event_id, type, subject, body, received_at, is_held, reason, dead_at)
		   select $1, event_id, type, subject, body, $7::timestamptz,
		          reason is not null
		            or not (${isErasure("a")}) and exists (select from waiting where waiting.subject = a.subject),
		          reason, case when reason is not null then $7::timestamptz end
		     from arrived a
		    where not exists (select from again where again.event_id = a.event_id)
		    order by place
		   on conflict on constraint deliveries__event_unique do nothing
		   returning is_held)
		 select $8::text is null or exists (select from step) as "isDone",
		        (select count(*)::int from kept where not is_held) as fresh`,
		[
			consumer,
			arrivals.map(({ eventId }) => eventId),
			arrivals.map(({ type }) => type),
			arrivals.map(({ subject }) => subject ?? null),
			arrivals.map(({ body }) => Buffer.from(body)),
			arrivals.map(({ reason }) => reason ?? null),
			now,
			step?.stream ?? null,
			step?.from ?? 0,
			step?.to ?? 0,
			step?.holder ?? null,
			step?.leaseSeconds ?? 0,
		],
	);
	return { isDone: row?.isDone === true, fresh: row?.fresh ?? 0 };
}

/**
 * A delivery that is being applied. When the transaction commits, it is removed and recorded in the inbox.
 */
export type Delivery = {
	position: bigint;
	type: string;
	subject: string | null;
	body: Buffer;
	attempts: number;
	isParked: boolean;
	/** Whether it was not applied before. */
	isFirst: boolean;
};

const take = `
		 , gone as (delete from deliveries where position in (select position from head)),
		 noted as (
		   insert into inbox (event_id, consumer, applied_at, seen_at)
		   select event_id, $1, $2::timestamptz, $2::timestamptz from head where event_id is not null
		   on conflict on constraint inbox__pkey do nothing
		   returning event_id)
		 select position, type, subject, body, attempts, is_held as "isParked",
		        event_id is null or event_id in (select event_id from noted) as "isFirst"
		   from head
		  order by position`;

const isFirstOfSubject = `
		      and (subject is null or not exists (
		        select from deliveries e
		         where e.consumer = d.consumer and e.subject = d.subject and e.position < d.position
		           and not (${isErasure("d")} and e.is_held)))`;
const isFree = "and position <> all ($3::bigint[])";
/**
 * Another release may have stored types that this process cannot apply. No index is needed: few of them
 * precede a known type.
 */
const isKnown = (types: string) => `and type = any (${types}::text[])`;

const takeFresh = `with head as (
		   select position, event_id, type, subject, body, attempts, is_held from deliveries d
		    where consumer = $1 and not is_held ${isKnown("$5")} ${isFirstOfSubject} ${isFree}
		    order by position limit $4 for update skip locked)${take}`;

const takeDue = `with head as (
		   select position, event_id, type, subject, body, attempts, is_held from deliveries d
		    where consumer = $1 and next_attempt_at <= $2::timestamptz ${isKnown("$5")} ${isFirstOfSubject} ${isFree}
		    order by next_attempt_at limit $4 for update skip locked)${take}`;

const takeChosen = `with head as (
		   select position, event_id, type, subject, body, attempts, is_held from deliveries d
		    where consumer = $1 and not is_held and position = any ($3::bigint[]) ${isKnown("$4")} ${isFirstOfSubject}
		    order by position for update skip locked)${take}`;

type Taking = { consumer: string; types: readonly string[]; now: Date } & (
	| { among: "fresh" | "due"; except: readonly bigint[]; limit: number }
	| { among: "chosen"; positions: readonly bigint[] }
);

/**
 * Takes the first due delivery of different subjects and records them as applied, except unknown types and
 * subjects that other processes have locked. Call it in the transaction of the effects: the lock on a
 * subject's first delivery is the lock of the subject. `due` takes retries, `fresh` takes deliveries without
 * a failure, `chosen` takes the given positions.
 */
export function takeDeliveries(db: Database, taking: Taking): Promise<Delivery[]> {
	const { consumer, types, now } = taking;
	if (taking.among === "chosen")
		return db.query<Delivery>(takeChosen, [consumer, now, taking.positions, types]);
	const { among, except, limit } = taking;
	return db.query<Delivery>(among === "due" ? takeDue : takeFresh, [consumer, now, except, limit, types]);
}

/** Lists the fresh deliveries that `takeDeliveries` would take. */
export function listFresh(
	db: Database,
	{
		consumer,
		types,
		except,
		limit,
	}: { consumer: string; types: readonly string[]; except: readonly bigint[]; limit: number },
): Promise<Array<{ position: bigint; type: string; body: Buffer }>> {
	return db.query(
		`select position, type, body from deliveries d
		  where consumer = $1 and not is_held ${isKnown("$4")} ${isFirstOfSubject} and position <> all ($2::bigint[])
		  order by position limit $3 for update skip locked`,
		[consumer, except, limit, types],
	);
}

/** Whether a delivery of a known type is due, locked or not. */
export async function hasDue(
	db: Database,
	{ consumer, types, now }: { consumer: string; types: readonly string[]; now: Date },
): Promise<boolean> {
	const [row] = await db.query<{ has_due: boolean }>(
		`select exists (select from deliveries where consumer = $1 and not is_held ${isKnown("$3")})
		   or exists (select from deliveries where consumer = $1 and next_attempt_at <= $2 ${isKnown("$3")}) as has_due`,
		[consumer, now, types],
	);
	return row?.has_due === true;
}

/** Releases the deliveries of a subject that waited behind a failed one. */
export async function releaseSubject(
	db: Database,
	{ consumer, subject }: { consumer: string; subject: string },
): Promise<void> {
	await db.query(
		`update deliveries set is_held = false
		  where consumer = $1 and subject = $2 and is_held and next_attempt_at is null and dead_at is null`,
		[consumer, subject],
	);
}

/**
 * Releases deliveries whose failed predecessor no longer exists, and erasures in any case. At most 1,000.
 */
export async function releaseForgotten(db: Database, consumer: string): Promise<number> {
	const rows = await db.query(
		`update deliveries set is_held = false where position in (
		   select position from deliveries d
		    where consumer = $1 and is_held and next_attempt_at is null and dead_at is null
		      and (${isErasure("d")} or not exists (
		        select from deliveries e
		         where e.consumer = d.consumer and e.subject = d.subject and e.position < d.position
		           and (e.next_attempt_at is not null or e.dead_at is not null)))
		    limit 1000)
		 returning 1`,
		[consumer],
	);
	return rows.length;
}

/**
 * Removes at most 1,000 deliveries of types that the service no longer subscribes to, so that nothing waits
 * behind them. Returns their number. Dead letters and the deliveries behind them stay. Removed deliveries are
 * not recorded as applied, so a later subscription receives them again.
 */
export async function removeUnrequested(db: Database, consumer: string): Promise<number> {
	const rows = await db.query<{ subject: string | null }>(
		`with removed as (
		   select position from deliveries d
		    where consumer = $1 and dead_at is null
		      and type <> all (select unnest(types) from readings where readings.consumer = $1)
		      and not exists (
		        select from deliveries e
		         where e.consumer = d.consumer and e.subject = d.subject and e.position < d.position and e.dead_at is not null)
		    order by position limit 1000 for update skip locked)
		 delete from deliveries where position in (select position from removed) returning subject`,
		[consumer],
	);
	return rows.length;
}

/**
 * Records a failure. The event and later ones of its subject wait until `until`. Does nothing if the event
 * was applied meanwhile.
 */
export async function parkDelivery(
	db: Database,
	{ position, until, reason }: { position: bigint; until: Date; reason: string },
): Promise<void> {
	await db.query(
		`with failed as (
		   update deliveries set attempts = attempts + 1, is_held = true, next_attempt_at = $2, reason = $3
		    where position = $1 and dead_at is null returning consumer, subject)
		 update deliveries d set is_held = true from failed
		  where d.consumer = failed.consumer and d.subject = failed.subject and d.position > $1 and not d.is_held
		    and not (${isErasure("d")})`,
		[position, until, reason],
	);
}

/**
 * Turns a delivery into a dead letter. With `blocksSubject`, later deliveries of its subject wait for an
 * operator.
 */
export async function markDead(
	db: Database,
	letter: { position: bigint; now: Date; reason: string; blocksSubject: boolean },
): Promise<void> {
	await db.query(
		`with letter as (
		   select position, consumer, subject from deliveries where position = $1 and dead_at is null for update
		 ), dead as (
		   update deliveries d
		      set attempts = d.attempts + 1, is_held = true, next_attempt_at = null, reason = $3, dead_at = $2,
		          subject = case when $4 then d.subject end
		     from letter where d.position = letter.position returning letter.consumer, letter.subject)
		 update deliveries d set is_held = $4 from dead
		  where d.consumer = dead.consumer and d.subject = dead.subject and d.position > $1 and d.is_held <> $4
		    and not (${isErasure("d")})
		    and d.next_attempt_at is null and d.dead_at is null`,
		[letter.position, letter.now, letter.reason, letter.blocksSubject],
	);
}

/** Counts deliveries that were never attempted, up to `max`. */
export async function countFresh(
	db: Database,
	{ consumer, max }: { consumer: string; max: number },
): Promise<number> {
	const [row] = await db.query<{ n: number }>(
		"select count(*)::int as n from (select from deliveries where consumer = $1 and not is_held limit $2) d",
		[consumer, max],
	);
	return row?.n ?? 0;
}
