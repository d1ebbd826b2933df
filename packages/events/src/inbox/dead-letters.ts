import type { Database } from "@lango/postgres";
import type { At } from "../step.ts";
import { listDead, removeDead, reviveDead } from "./dead-letters.store.ts";
import { releaseSubject } from "./deliveries.store.ts";

/** An event that a service could not apply, or what came and is none; an operator decides what becomes of it. */
export type DeadLetter = {
	id: string;
	type: string;
	/** Of what is no event an id made of its place in the stream; undefined when it came before there were such. */
	eventId: string | undefined;
	/** The entity whose later events wait behind it; undefined when it holds none back. */
	subject: string | undefined;
	reason: string;
	attempts: number;
	receivedAt: Date;
	deadAt: Date;
	/** How many events wait behind it, counted up to 1,000. */
	waiting: number;
	/** What came, as text, and no more of it than 4,000 characters. */
	body: string;
};

const bodyLengthMax = 4_000;
const pageMax = 200;
const number = /^[0-9]{1,18}$/;

type Listing = {
	service: string;
	cursor?: string | undefined;
	limit?: number;
	/** Those of this type alone. */
	type?: string | undefined;
	/** Those alone that are dead letters since then. */
	since?: Date | undefined;
};

/** A page of a service's dead letters in the order they came; the cursor is undefined on the last. Throws an Error when the cursor is none. */
export async function listDeadLetters(
	db: Database,
	{ service, cursor = "0", limit = 50, type, since }: Listing,
): Promise<{ items: DeadLetter[]; nextCursor: string | undefined }> {
	if (!number.test(cursor)) throw new Error("cursor is not one of this list");
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
		body: row.body.subarray(0, bodyLengthMax).toString("utf8"),
	}));
	return { items, nextCursor: rows.length > size ? items.at(-1)?.id : undefined };
}

type Chosen = { service: string; id: string; now: Date; at?: At | undefined };

/**
 * Has a dead letter tried again, ten times as if it were new; what waits behind it follows in order once it succeeds.
 * False when the service has no such dead letter.
 */
export async function redriveDeadLetter(db: Database, { service, id, now, at }: Chosen): Promise<boolean> {
	const isThere = number.test(id) && (await reviveDead(db, { consumer: service, position: BigInt(id), now }));
	at?.("dead letter redriven");
	return isThere;
}

/** Gives a dead letter up: it never has its effect, and what waits behind it goes on. False when there is none of this id. */
export async function discardDeadLetter(db: Database, { service, id, now, at }: Chosen): Promise<boolean> {
	if (!number.test(id)) return false;
	return db.transaction(async (tx) => {
		const gone = await removeDead(tx, { consumer: service, position: BigInt(id), now });
		at?.("dead letter removed");
		if (gone !== undefined && gone.subject !== null)
			await releaseSubject(tx, { consumer: service, subject: gone.subject });
		return gone !== undefined;
	});
}
