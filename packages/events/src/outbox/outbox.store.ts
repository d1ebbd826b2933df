import type { EventEnvelope } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** An event that waits to be published. */
export type OutboxEvent = { position: bigint; subject: string; envelope: EventEnvelope; attempts: number };

/**
 * Writes an event, given as an object and as the text of it, awaited with the commit. The lock on its subject, held until the
 * transaction ends, is taken before the position is drawn: so events of one subject have positions in the order of their commits.
 */
export async function recordOutboxEvent(
	db: Database,
	{ type, subject }: EventEnvelope,
	text: string,
): Promise<void> {
	await db.queryBeforeCommit(
		`insert into outbox (position, type, subject, envelope)
		 values (case when pg_advisory_xact_lock(hashtextextended('outbox ' || $2, 0)) is not null
		              then nextval('outbox_position_seq') end, $1, $2, $3)`,
		[type, subject, text],
	);
}

/** Whether this transaction may publish: one relay at a time does, until its transaction ends. */
export async function takeRelayTurn(db: Database): Promise<boolean> {
	const [row] = await db.query<{ taken: boolean }>(
		"select pg_try_advisory_xact_lock(hashtext('lango-relay')) as taken",
	);
	return row?.taken === true;
}

/** Waits until no relay publishes; then none does before this transaction ends. */
export async function awaitRelayTurn(tx: Database): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtext('lango-relay'))");
}

/** Whether anything may be published now; cheaper than a transaction. */
export async function hasDueEvents(db: Database, now: Date): Promise<boolean> {
	const [row] = await db.query<{ due: boolean }>(
		`select exists (
		   select from outbox o
		    where published_at is null and not exists (
		      select from outbox held
		       where held.subject = o.subject and held.published_at is null and held.next_attempt_at > $1)) as due`,
		[now],
	);
	return row?.due === true;
}

/** Unpublished events in their order, but none of a subject that waits after a failure. */
export function listDueEvents(
	db: Database,
	{ now, limit }: { now: Date; limit: number },
): Promise<OutboxEvent[]> {
	return db.query<OutboxEvent>(
		`select position, subject, envelope, attempts from outbox o
		  where published_at is null and not exists (
		    select from outbox held
		     where held.subject = o.subject and held.published_at is null and held.next_attempt_at > $1)
		  order by position
		  limit $2`,
		[now, limit],
	);
}

/** Marks events as taken by the transport. */
export async function markPublished(
	db: Database,
	{ positions, now }: { positions: readonly bigint[]; now: Date },
): Promise<void> {
	await db.query(
		`update outbox set published_at = $2, next_attempt_at = null
		  where position = any ($1::bigint[]) and published_at is null`,
		[positions, now],
	);
}

/** Counts a failure of each and says when it, and its subject with it, is due again. */
export async function holdEvents(
	db: Database,
	held: ReadonlyArray<{ position: bigint; until: Date }>,
): Promise<void> {
	await db.query(
		`update outbox set attempts = attempts + 1, next_attempt_at = held.until
		   from unnest($1::bigint[], $2::timestamptz[]) held (position, until)
		  where outbox.position = held.position and published_at is null`,
		[held.map(({ position }) => position), held.map(({ until }) => until)],
	);
}

/** Events of some types published since a moment, after a position and in their order. */
export function listPublished(
	db: Database,
	{ types, since, after, limit }: { types: readonly string[]; since: Date; after: bigint; limit: number },
): Promise<Array<{ position: bigint; envelope: EventEnvelope }>> {
	return db.query(
		`select position, envelope from outbox
		  where position > $3 and type = any ($1::text[]) and published_at >= $2
		  order by position
		  limit $4`,
		[types, since, after, limit],
	);
}

/** Takes the mark off events published since a moment, after a position and at most `limit`; says which, in their order. */
export async function unmarkPublished(
	tx: Database,
	{ since, after, limit }: { since: Date; after: bigint; limit: number },
): Promise<bigint[]> {
	const rows = await tx.query<{ position: bigint }>(
		`with told as (
		   select position from outbox
		    where published_at is not null and published_at >= $1 and position > $2
		    order by position limit $3 for update),
		 unmarked as (
		   update outbox set published_at = null, attempts = 0
		    where position in (select position from told) and published_at is not null
		   returning position)
		 select position from unmarked order by position`,
		[since, after, limit],
	);
	return rows.map(({ position }) => position);
}

/** Removes events published before a moment, at most `limit`, and says how many. */
export async function removePublished(
	db: Database,
	{ before, limit }: { before: Date; limit: number },
): Promise<number> {
	const rows = await db.query(
		`delete from outbox where published_at is not null and position in (
		   select position from outbox where published_at < $1 order by published_at limit $2 for update skip locked)
		 returning 1`,
		[before, limit],
	);
	return rows.length;
}

/**
 * Takes the address and the name of a person out of every event about them that this database keeps: told, not told yet, not
 * applied yet, dead. What is left fits its contract, so that events under way have their effect. Call it in the transaction that
 * erases the person; a consumer of `auth.user.deleted` has it called when that is applied.
 */
export async function erasePersonFromEvents(tx: Database, userId: string): Promise<void> {
	await tx.query("select erase_person_from_events($1)", [userId]);
}
