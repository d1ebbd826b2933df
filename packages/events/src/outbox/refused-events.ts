import type { Database } from "@lango/postgres";
import { outboxSignal } from "./outbox.store.ts";
import { listRefused, removeRefused } from "./refused-events.store.ts";

/** An event that the bus refuses. The relay retries it at least once a minute. */
export type RefusedEvent = {
	id: string;
	type: string;
	eventId: string;
	/** The entity whose later events wait behind this one. */
	subject: string;
	/** When the event was recorded. */
	recordedAt: Date;
	/** The number of failed publications. */
	attempts: number;
	nextAttemptAt: Date;
	/** The number of events that wait behind it, up to 1,000. */
	waiting: number;
};

const pageMax = 200;
const number = /^[0-9]{1,18}$/;

/**
 * Lists a page of a service's refused events in their order. The cursor is undefined on the last page. Throws
 * an Error if the given cursor is invalid.
 */
export async function listRefusedEvents(
	db: Database,
	{ cursor = "0", limit = 50 }: { cursor?: string | undefined; limit?: number },
): Promise<{ items: RefusedEvent[]; nextCursor: string | undefined }> {
	if (!number.test(cursor)) throw new Error("the cursor is invalid");
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

/** The discarded event, for the audit log. */
export type DiscardedEvent = Pick<RefusedEvent, "type" | "eventId" | "subject" | "attempts">;

/**
 * Discards a refused event: it is never published, and later events of its subject are. Returns undefined if
 * no refused event has this id, for example because it was published since.
 */
export async function discardRefusedEvent(db: Database, id: string): Promise<DiscardedEvent | undefined> {
	if (!number.test(id)) return undefined;
	return db.transaction(async (tx) => {
		const gone = await removeRefused(tx, BigInt(id));
		if (gone === undefined) return undefined;
		tx.signal(outboxSignal);
		const { type, id: eventId, subject } = gone.envelope;
		return { type, eventId, subject, attempts: gone.attempts };
	});
}
