import type { EventEnvelope } from "@lango/contracts";
import type { Database } from "@lango/postgres";

/** An unpublished event. */
export type OutboxEvent = { position: bigint; subject: string; envelope: EventEnvelope; attempts: number };

/** The signal of a commit with new events. */
export const outboxSignal = "outbox";

/**
 * Inserts an event, sent together with the commit. The advisory lock on the subject is taken before the
 * position is drawn and kept until the transaction ends, so events of one subject have positions in commit
 * order.
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
	db.signal(outboxSignal);
}

/**
 * Tries to acquire the relay lock, which lasts until the transaction ends. Only one relay publishes at a
 * time.
 */
export async function acquireRelayLock(db: Database): Promise<boolean> {
	const [row] = await db.query<{ taken: boolean }>(
		"select pg_try_advisory_xact_lock(hashtext('lango-relay')) as taken",
	);
	return row?.taken === true;
}

/** Waits for the relay lock. No relay publishes until this transaction ends. */
export async function waitForRelayLock(tx: Database): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtext('lango-relay'))");
}

/** Whether an event is due. Cheaper than a transaction. */
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

/** Lists unpublished events in their order, without subjects that wait for a retry. */
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

/** Marks events as published. */
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

/** Records a failed publication and the time of the next attempt for the event's subject. */
export async function delayEvents(
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

/** Lists published events of some types since a time, after a position, in their order. */
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

/**
 * Clears the published mark of at most `limit` events published since a time, after a position. Returns their
 * positions in order.
 */
export async function unmarkPublished(
	tx: Database,
	{ since, after, limit }: { since: Date; after: bigint; limit: number },
): Promise<bigint[]> {
	const rows = await tx.query<{ position: bigint }>(
		`with outbox_rows as (
		   select position from outbox
		    where published_at is not null and published_at >= $1 and position > $2
		    order by position limit $3 for update),
		 unmarked as (
		   update outbox set published_at = null, attempts = 0
		    where position in (select position from outbox_rows) and published_at is not null
		   returning position)
		 select position from unmarked order by position`,
		[since, after, limit],
	);
	return rows.map(({ position }) => position);
}

/** Removes at most `limit` events that were published before a time. Returns their number. */
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
 * Erases the e-mail address and the name of a person from every stored event about them: published,
 * unpublished, unapplied and dead. The events still match their contracts. Call it in the transaction that
 * erases the person; consumers of `auth.user.deleted` call it when that event is applied.
 */
export async function erasePersonFromEvents(tx: Database, userId: string): Promise<void> {
	await tx.query("select erase_person_from_events($1)", [userId]);
}
