import type { Database } from "@lango/postgres";
import type { Tracer } from "@opentelemetry/api";
import type { At } from "../step.ts";
import { publishTraced } from "../trace-events.ts";
import { type OnError, type Transport, TransportUnavailable } from "../transport.ts";
import { holdEvents, listDueEvents, markPublished, type OutboxEvent, takeRelayTurn } from "./outbox.store.ts";

export type BatchOptions = {
	db: Database;
	transport: Transport;
	now: () => Date;
	onError: OnError;
	/** How many events at most. */
	batchMax: number;
	/** How long one publication may take. */
	publishTimeoutMs: number;
	/** Makes spans of what is published; undefined: events go out as they were recorded. */
	tracer?: Tracer | undefined;
	at?: At | undefined;
};

export type Batch = { taken: number; published: number };

/** After this no further publication of the batch begins: with one time-out more the transaction is still younger than the
 * 30 s after which the server ends it. */
const batchMs = 15_000;
const retryMs = 250;
const retryMaxMs = 60_000;

/**
 * Publishes what is due and marks it, in one transaction that other relays of this database wait for. A crash before
 * its end publishes the events again: at least once. Returns undefined when it is another relay's turn.
 */
export async function publishBatch(options: BatchOptions): Promise<Batch | undefined> {
	const { db, now, batchMax, at } = options;
	const batch = await db.transaction(async (tx) => {
		if (!(await takeRelayTurn(tx))) return undefined;
		const events = await listDueEvents(tx, { now: now(), limit: batchMax });
		at?.("events read");
		const { published, failed } = await publishAll(events, options);
		if (published.length > 0)
			await markPublished(tx, { positions: published.map(({ position }) => position), now: now() });
		const until = (attempts: number) => new Date(now().getTime() + retryDelayMs(attempts));
		if (published.length > 0) at?.("events marked");
		if (failed.length > 0) {
			await holdEvents(
				tx,
				failed.map(({ position, attempts }) => ({ position, until: until(attempts) })),
			);
			at?.("refusal noted");
		}
		return { taken: events.length, published: published.length };
	});
	if (batch !== undefined && batch.taken > 0) at?.("marks committed");
	return batch;
}

/** How long an event waits after it failed once more: doubled each time, up to a minute. */
export function retryDelayMs(failures: number): number {
	return Math.min(retryMs * 2 ** Math.min(failures, 20), retryMaxMs);
}

type Outcome = { published: OutboxEvent[]; failed: OutboxEvent[] };

/**
 * Many subjects side by side, the events of each one after the other: none passes an earlier one of its subject that
 * failed. Once the transport can carry nothing, nothing further is tried and nothing counted as failed.
 */
async function publishAll(events: readonly OutboxEvent[], options: BatchOptions): Promise<Outcome> {
	const { transport, publishTimeoutMs, onError, tracer, at } = options;
	const outcome: Outcome = { published: [], failed: [] };
	const endAt = performance.now() + batchMs;
	const subjects = Map.groupBy(events, ({ subject }) => subject).values();
	let isAway = false;
	const fail = (event: OutboxEvent, error: unknown) => {
		const isNews = !isAway;
		if (error instanceof TransportUnavailable) isAway = true;
		else outcome.failed.push(event);
		if (isNews) onError(error, `publish ${event.envelope.type} ${event.envelope.id}`);
	};
	const publishSubject = async (ofSubject: readonly OutboxEvent[]) => {
		for (const event of ofSubject) {
			if (isAway || performance.now() > endAt) return;
			try {
				const publication = publishTraced(transport, event.envelope, tracer);
				at?.("event sent");
				await withinTime(publication, publishTimeoutMs);
				at?.("event acknowledged");
			} catch (error) {
				return fail(event, error);
			}
			outcome.published.push(event);
		}
	};
	const lane = async () => {
		for (const ofSubject of subjects) await publishSubject(ofSubject);
	};
	await Promise.all(Array.from({ length: transport.publishedAtOnce }, lane));
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
