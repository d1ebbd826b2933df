import type { Database } from "@lango/postgres";
import { listRefused, removeRefused } from "./refused-events.store.ts";

/** An event of this service that the bus has refused so far; it is tried again by itself, at least once a minute. */
export type RefusedEvent = {
	id: string;
	type: string;
	eventId: string;
	/** The entity whose later events wait behind it. */
	subject: string;
	/** When it was recorded. */
	recordedAt: Date;
	/** How often it was refused. */
	attempts: number;
	nextAttemptAt: Date;
	/** How many events wait behind it, counted up to 1,000. */
	waiting: number;
};

const pageMax = 200;
const number = /^[0-9]{1,18}$/;

/** A page of a service's refused events in their order; the cursor is undefined on the last. Throws an Error when the cursor is none. */
export async function listRefusedEvents(
	db: Database,
	{ cursor = "0", limit = 50 }: { cursor?: string | undefined; limit?: number },
): Promise<{ items: RefusedEvent[]; nextCursor: string | undefined }> {
	if (!number.test(cursor)) throw new Error("cursor is not one of this list");
	const size = Math.min(Math.max(limit, 1), pageMax);
	const rows = await listRefused(db, { after: BigInt(cursor), limit: size + 1 });
	const items = rows.slice(0, size).map(({ position, envelope, attempts, next_attempt_at, waiting }) => ({
		id: String(position),
		type: envelope.type,
		eventId: envelope.id,
		subject: envelope.subject,
		recordedAt: new Date(envelope.time),
		attempts,
		nextAttemptAt: next_attempt_at,
		waiting,
	}));
	return { items, nextCursor: rows.length > size ? items.at(-1)?.id : undefined };
}

/** What is left to say of an event that was given up. */
export type DiscardedEvent = Pick<RefusedEvent, "type" | "eventId" | "subject" | "attempts">;

/**
 * Gives a refused event up: nobody is ever told of it, and those of its subject behind it go out. Undefined when there is none of
 * this id; one that went out meanwhile is none.
 */
export async function discardRefusedEvent(db: Database, id: string): Promise<DiscardedEvent | undefined> {
	if (!number.test(id)) return undefined;
	return db.transaction(async (tx) => {
		const gone = await removeRefused(tx, BigInt(id));
		if (gone === undefined) return undefined;
		const { type, id: eventId, subject } = gone.envelope;
		return { type, eventId, subject, attempts: gone.attempts };
	});
}
