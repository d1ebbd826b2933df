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

/** An operation of the platform in a service's audit log. It belongs to no tenant. */
export type PlatformAction = {
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
	/** The network address of the request. */
	address?: string;
};

/** Adds an action to the service's audit log, in the current transaction. */
export type RecordPlatformAction = (tx: Database, action: PlatformAction) => Promise<void>;

/**
 * The service whose failed work is handled, and its audit log. A service without an audit log records
 * nothing.
 */
export type FailedWork = {
	service: string;
	db: Database;
	now: () => Date;
	recordPlatformAction?: RecordPlatformAction | undefined;
};

/** The operator who handles failed work, and the request. */
export type Operator = Pick<PlatformAction, "actor" | "requestId" | "address">;

const acts = {
	redrive: [redriveDeadLetter, "dead_letter.redriven"],
	discard: [discardDeadLetter, "dead_letter.discarded"],
} as const;

/**
 * Redrives or discards a dead letter and records it in the audit log, in one transaction. Returns false if
 * the dead letter does not exist.
 */
export async function resolveDeadLetter(
	{ service, db, now, recordPlatformAction }: FailedWork,
	{ id, verb }: { id: string; verb: keyof typeof acts },
	by: Operator,
): Promise<boolean> {
	const [act, action] = acts[verb];
	return db.transaction(async (tx) => {
		const letter = await findLetter(tx, service, id);
		if (letter === undefined || !(await act(tx, { service, id, now: now() }))) return false;
		const { type, eventId, subject, reason, waiting } = letter;
		const detail = { type, event_id: eventId ?? null, subject: subject ?? null, reason, waiting };
		await recordPlatformAction?.(tx, { ...by, at: now(), action, subject: id, detail });
		return true;
	});
}

const lettersAtOnce = 200;

/**
 * Redrives or discards every present dead letter, or those of a type or since a time, each in its own
 * transaction and in order of arrival. Returns their number.
 */
export async function resolveDeadLetters(
	work: FailedWork,
	{ verb, type, since }: { verb: keyof typeof acts; type?: string | undefined; since?: Date | undefined },
	by: Operator,
): Promise<number> {
	const { service, db, now } = work;
	const startedAt = now();
	let count = 0;
	let cursor: string | undefined;
	do {
		const page = await listDeadLetters(db, { service, cursor, limit: lettersAtOnce, type, since });
		for (const { id, deadAt } of page.items)
			if (deadAt <= startedAt && (await resolveDeadLetter(work, { id, verb }, by))) count += 1;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
	return count;
}

/**
 * Discards an event that the bus refuses and records it in the audit log, in one transaction. Returns false
 * if the event does not exist.
 */
export async function discardRefused(
	{ db, now, recordPlatformAction }: FailedWork,
	id: string,
	by: Operator,
): Promise<boolean> {
	return db.transaction(async (tx) => {
		const gone = await discardRefusedEvent(tx, id);
		if (gone === undefined) return false;
		const { type, eventId, subject, attempts } = gone;
		const detail = { type, event_id: eventId, subject, attempts };
		await recordPlatformAction?.(tx, {
			...by,
			at: now(),
			action: "refused_event.discarded",
			subject: id,
			detail,
		});
		return true;
	});
}

/** Redrives a dead job like `redriveDeadJob` and records it in the audit log, in one transaction. */
export async function redriveDeadJobAudited(
	{ db, now, recordPlatformAction }: FailedWork,
	id: string,
	by: Operator,
): Promise<Redriven> {
	return db.transaction(async (tx) => {
		const redriven = await redriveDeadJob(tx, id);
		if (redriven === undefined) return undefined;
		const detail = { came_to: redriven };
		await recordPlatformAction?.(tx, { ...by, at: now(), action: "dead_job.redriven", subject: id, detail });
		return redriven;
	});
}

async function findLetter(tx: Database, service: string, id: string) {
	if (!/^[1-9][0-9]{0,17}$/.test(id)) return undefined;
	const { items } = await listDeadLetters(tx, { service, cursor: String(BigInt(id) - 1n), limit: 1 });
	return items.find((letter) => letter.id === id);
}

/**
 * Publishes the events since a time again and records it in the audit log, in one transaction. Returns their
 * number.
 */
export async function republishSince(
	{ service, db, now, recordPlatformAction }: FailedWork,
	since: Date,
	by: Operator,
): Promise<number> {
	return db.transaction(async (tx) => {
		const count = await republishEvents(tx, { since });
		const detail = { since: since.toISOString(), count };
		if (count > 0)
			await recordPlatformAction?.(tx, {
				...by,
				at: now(),
				action: "events.republished",
				subject: service,
				detail,
			});
		return count;
	});
}
