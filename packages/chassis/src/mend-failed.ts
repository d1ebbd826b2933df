import type { Actor } from "@lango/access";
import {
	discardDeadLetter,
	discardRefusedEvent,
	listDeadLetters,
	redriveDeadLetter,
	republishEvents,
} from "@lango/events";
import { type Redriven, redriveDeadJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";

/** A deed of the platform's, for a service's own audit log: it is about no tenant. */
export type PlatformDeed = {
	at: Date;
	actor: Actor;
	action:
		| "dead_job.redriven"
		| "dead_letter.discarded"
		| "dead_letter.redriven"
		| "events.republished"
		| "key.revoked"
		| "keys.rotated"
		| "refused_event.discarded";
	subject: string;
	detail: Readonly<Record<string, unknown>>;
	requestId?: string;
	/** The address the request came from. */
	address?: string;
};

/** Adds a deed to the service's audit log, in the transaction under way. */
export type RecordDeed = (tx: Database, deed: PlatformDeed) => Promise<void>;

/** Of which service, and where it is recorded what was decided; a service without an audit log records nothing. */
export type Mending = { service: string; db: Database; now: () => Date; recordDeed?: RecordDeed | undefined };

/** Who decides, and by which request. */
export type Deciding = Pick<PlatformDeed, "actor" | "requestId" | "address">;

const acts = {
	redrive: [redriveDeadLetter, "dead_letter.redriven"],
	discard: [discardDeadLetter, "dead_letter.discarded"],
} as const;

/** Has a dead letter tried again, or gives it up, and records who did, in one transaction. False when there is none of this id. */
export async function mendDeadLetter(
	{ service, db, now, recordDeed }: Mending,
	{ id, verb }: { id: string; verb: keyof typeof acts },
	by: Deciding,
): Promise<boolean> {
	const [act, action] = acts[verb];
	return db.transaction(async (tx) => {
		const letter = await findLetter(tx, service, id);
		if (letter === undefined || !(await act(tx, { service, id, now: now() }))) return false;
		const { type, eventId, subject, reason, waiting } = letter;
		const detail = { type, event_id: eventId ?? null, subject: subject ?? null, reason, waiting };
		await recordDeed?.(tx, { ...by, at: now(), action, subject: id, detail });
		return true;
	});
}

const lettersAtOnce = 200;

/**
 * The same for all dead letters there are by now, or for those of a type or that are dead since a moment: each in a transaction of its
 * own, in the order they came. Says how many there were.
 */
export async function mendDeadLetters(
	mending: Mending,
	{ verb, type, since }: { verb: keyof typeof acts; type?: string | undefined; since?: Date | undefined },
	by: Deciding,
): Promise<number> {
	const { service, db, now } = mending;
	const startedAt = now();
	let count = 0;
	let cursor: string | undefined;
	do {
		const page = await listDeadLetters(db, { service, cursor, limit: lettersAtOnce, type, since });
		for (const { id, deadAt } of page.items)
			if (deadAt <= startedAt && (await mendDeadLetter(mending, { id, verb }, by))) count += 1;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	return count;
}

/** Gives up an event that the bus refuses, and records who did, in one transaction. False when there is none of this id. */
export async function discardRefused(
	{ db, now, recordDeed }: Mending,
	id: string,
	by: Deciding,
): Promise<boolean> {
	return db.transaction(async (tx) => {
		const gone = await discardRefusedEvent(tx, id);
		if (gone === undefined) return false;
		const { type, eventId, subject, attempts } = gone;
		const detail = { type, event_id: eventId, subject, attempts };
		await recordDeed?.(tx, { ...by, at: now(), action: "refused_event.discarded", subject: id, detail });
		return true;
	});
}

/** Puts a dead job back into its queue, as `redriveDeadJob`, and records who did, in one transaction. */
export async function mendDeadJob(
	{ db, now, recordDeed }: Mending,
	id: string,
	by: Deciding,
): Promise<Redriven> {
	return db.transaction(async (tx) => {
		const redriven = await redriveDeadJob(tx, id);
		if (redriven === undefined) return undefined;
		const detail = { came_to: redriven };
		await recordDeed?.(tx, { ...by, at: now(), action: "dead_job.redriven", subject: id, detail });
		return redriven;
	});
}

async function findLetter(tx: Database, service: string, id: string) {
	if (!/^[1-9][0-9]{0,17}$/.test(id)) return undefined;
	const { items } = await listDeadLetters(tx, { service, cursor: String(BigInt(id) - 1n), limit: 1 });
	return items.find((letter) => letter.id === id);
}

/** Publishes the events since a moment again and records who asked for it, in one transaction. Returns how many there are. */
export async function republishSince(
	{ service, db, now, recordDeed }: Mending,
	since: Date,
	by: Deciding,
): Promise<number> {
	return db.transaction(async (tx) => {
		const count = await republishEvents(tx, { since });
		const detail = { since: since.toISOString(), count };
		if (count > 0)
			await recordDeed?.(tx, { ...by, at: now(), action: "events.republished", subject: service, detail });
		return count;
	});
}
