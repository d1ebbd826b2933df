import type { Database } from "@lango/postgres";
import { describeMessage } from "../sensitive.ts";
import type { At } from "../step.ts";
import { listDead, removeDead, reviveDead } from "./dead-letters.store.ts";
import { deliveriesSignal, releaseSubject } from "./deliveries.store.ts";

/**
 * A dead letter: an event that a service could not apply, or an unreadable message. An operator redrives or
 * discards it.
 */
export type DeadLetter = {
	id: string;
	type: string;
	/**
	 * For an unreadable message, an id derived from its position. Undefined for messages stored before such ids
	 * existed.
	 */
	eventId: string | undefined;
	/** The entity whose later events wait behind it. Undefined if none wait. */
	subject: string | undefined;
	reason: string;
	attempts: number;
	receivedAt: Date;
	deadAt: Date;
	/** The number of events that wait behind it, up to 1,000. */
	waiting: number;
	/** The message as text, without its sensitive values, truncated to 4,000 characters. */
	body: string;
};

const bodyLengthMax = 4_000;
const pageMax = 200;
const number = /^[0-9]{1,18}$/;

type Listing = {
	service: string;
	cursor?: string | undefined;
	limit?: number;
	/** Only dead letters of this type. */
	type?: string | undefined;
	/** Only dead letters since this time. */
	since?: Date | undefined;
};

/**
 * Lists a page of a service's dead letters in order of arrival. The cursor is undefined on the last page.
 * Throws an Error if the given cursor is invalid.
 */
export async function listDeadLetters(
	db: Database,
	{ service, cursor = "0", limit = 50, type, since }: Listing,
): Promise<{ items: DeadLetter[]; nextCursor: string | undefined }> {
	if (!number.test(cursor)) throw new Error("the cursor is invalid");
	const size = Math.min(Math.max(limit, 1), pageMax);
	const rows = await listDead(db, {
		consumer: service,
		after: BigInt(cursor),
		limit: size + 1,
		type,
		since,
	});
	const items = rows.slice(0, size).map((row) => ({
		id: String(row.position),
		type: row.type,
		eventId: row.event_id ?? undefined,
		subject: row.subject ?? undefined,
		reason: row.reason,
		attempts: row.attempts,
		receivedAt: row.received_at,
		deadAt: row.dead_at,
		waiting: row.waiting,
		body: describeMessage(row.body).slice(0, bodyLengthMax),
	}));
	return { items, nextCursor: rows.length > size ? items.at(-1)?.id : undefined };
}

type Chosen = { service: string; id: string; now: Date; at?: At | undefined };

/**
 * Redrives a dead letter with ten new attempts. The events behind it follow in order after it succeeds.
 * Returns false if it does not exist.
 */
export async function redriveDeadLetter(db: Database, { service, id, now, at }: Chosen): Promise<boolean> {
	const isThere = number.test(id) && (await reviveDead(db, { consumer: service, position: BigInt(id), now }));
	if (isThere) db.signal(deliveriesSignal);
	at?.("dead letter redriven");
	return isThere;
}

/**
 * Discards a dead letter: it is never applied, and the events behind it continue. Returns false if it does
 * not exist.
 */
export async function discardDeadLetter(db: Database, { service, id, now, at }: Chosen): Promise<boolean> {
	if (!number.test(id)) return false;
	return db.transaction(async (tx) => {
		const gone = await removeDead(tx, { consumer: service, position: BigInt(id), now });
		at?.("dead letter removed");
		if (gone !== undefined && gone.subject !== null)
			await releaseSubject(tx, { consumer: service, subject: gone.subject });
		tx.signal(deliveriesSignal);
		return gone !== undefined;
	});
}
