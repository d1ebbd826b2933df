import type { Database } from "@lango/postgres";
import { holdEvent, listDueEvents, markPublished, type OutboxEvent, takeRelayTurn } from "./outbox.store.ts";
import type { Transport } from "./transport.ts";

/** Told of what went wrong and what it was about; it must not throw. */
export type OnError = (error: unknown, about: string) => void;

export type BatchOptions = {
	db: Database;
	transport: Transport;
	now: () => Date;
	onError: OnError;
	/** How many events at most. */
	batchMax: number;
	/** How long one publication may take. */
	publishTimeoutMs: number;
};

export type Batch = { taken: number; published: number };

/** After this no further publication of the batch begins: with one time-out more the transaction is still younger than the
 * 30 s after which the server ends it. */
const batchMs = 15_000;
/** One connection is the relay's; with a pool of five, consumers in the same process can have four. */
const subjectsAtOnce = 4;
const retryMs = 250;
const retryMaxMs = 60_000;

/**
 * Publishes what is due and marks it, in one transaction that other relays of this database wait for. A crash before
 * its end publishes the events again: at least once. Returns undefined when it is another relay's turn.
 */
export async function publishBatch(options: BatchOptions): Promise<Batch | undefined> {
	const { db, now, batchMax } = options;
	return db.transaction(async (tx) => {
		if (!(await takeRelayTurn(tx))) return undefined;
		const events = await listDueEvents(tx, { now: now(), limit: batchMax });
		const { published, failed } = await publishAll(events, options);
		if (published.length > 0)
			await markPublished(tx, { positions: published.map(({ position }) => position), now: now() });
		for (const { position, attempts } of failed) {
			await holdEvent(tx, { position, until: new Date(now().getTime() + retryDelayMs(attempts)) });
		}
		return { taken: events.length, published: published.length };
	});
}

/** How long an event waits after it failed once more: doubled each time, up to a minute. */
export function retryDelayMs(failures: number): number {
	return Math.min(retryMs * 2 ** Math.min(failures, 20), retryMaxMs);
}

type Outcome = { published: OutboxEvent[]; failed: OutboxEvent[] };

/** Several subjects side by side, the events of each one after the other; a failed event leaves its later ones for another time. */
async function publishAll(
	events: readonly OutboxEvent[],
	{ transport, publishTimeoutMs, onError }: BatchOptions,
): Promise<Outcome> {
	const outcome: Outcome = { published: [], failed: [] };
	const startedAt = performance.now();
	const subjects = [...Map.groupBy(events, ({ subject }) => subject).values()];
	const publishSubject = async (ofSubject: readonly OutboxEvent[]) => {
		for (const event of ofSubject) {
			if (performance.now() - startedAt > batchMs) return;
			try {
				await withinTime(transport.publish(event.envelope), publishTimeoutMs);
				outcome.published.push(event);
			} catch (error) {
				outcome.failed.push(event);
				return onError(error, `publish ${event.envelope.type} ${event.envelope.id}`);
			}
		}
	};
	const lane = async () => {
		for (let next = subjects.shift(); next !== undefined; next = subjects.shift()) await publishSubject(next);
	};
	await Promise.all(Array.from({ length: subjectsAtOnce }, lane));
	return outcome;
}

async function withinTime(work: Promise<void>, limitMs: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`not done within ${limitMs} ms`)), limitMs);
	});
	try {
		await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
