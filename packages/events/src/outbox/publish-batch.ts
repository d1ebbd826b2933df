import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import type { Tracer } from "@opentelemetry/api";
import { openEvent } from "../sensitive.ts";
import type { At } from "../step.ts";
import { publishTraced } from "../trace-events.ts";
import { type OnError, type Transport, TransportUnavailable } from "../transport.ts";
import {
	acquireRelayLock,
	delayEvents,
	listDueEvents,
	markPublished,
	type OutboxEvent,
} from "./outbox.store.ts";

export type BatchOptions = {
	db: Database;
	transport: Transport;
	now: () => Date;
	onError: OnError;
	/** The maximum number of events per batch. */
	batchMax: number;
	/** The time limit of one publication. */
	publishTimeoutMs: number;
	/** Creates the spans of publications. Undefined: events are published unchanged. */
	tracer?: Tracer | undefined;
	/** Decrypt the sensitive members of events. */
	keys?: KeyEncryptionKeys | undefined;
	at?: At | undefined;
};

export type Batch = { taken: number; published: number };

/**
 * No further publication starts after this time. With one more publish timeout, the transaction still ends
 * before the server's limit of 30 s.
 */
const batchMs = 15_000;
const retryMs = 250;
const retryMaxMs = 60_000;

/**
 * Publishes due events and marks them in one transaction, under the relay lock. A crash before the commit
 * publishes the events again (at least once). Returns undefined if another relay holds the lock.
 */
export async function publishBatch(options: BatchOptions): Promise<Batch | undefined> {
	const { db, now, batchMax, at } = options;
	const batch = await db.transaction(async (tx) => {
		if (!(await acquireRelayLock(tx))) return undefined;
		const events = await listDueEvents(tx, { now: now(), limit: batchMax });
		at?.("events read");
		const { published, failed } = await publishAll(events, options);
		if (published.length > 0)
			await markPublished(tx, { positions: published.map(({ position }) => position), now: now() });
		const until = (attempts: number) => new Date(now().getTime() + retryDelayMs(attempts));
		if (published.length > 0) at?.("events marked");
		if (failed.length > 0) {
			await delayEvents(
				tx,
				failed.map(({ position, attempts }) => ({ position, until: until(attempts) })),
			);
			at?.("refusal recorded");
		}
		return { taken: events.length, published: published.length };
	});
	if (batch !== undefined && batch.taken > 0) at?.("marks committed");
	return batch;
}

/** The delay before the next attempt: doubled after each failure, up to a minute. */
export function retryDelayMs(failures: number): number {
	return Math.min(retryMs * 2 ** Math.min(failures, 20), retryMaxMs);
}

type Outcome = { published: OutboxEvent[]; failed: OutboxEvent[] };

/**
 * Publishes the events of different subjects concurrently and those of one subject in sequence: no event
 * overtakes an earlier failed one of its subject. When the transport is unavailable, the batch ends and no
 * event counts as failed.
 */
async function publishAll(events: readonly OutboxEvent[], options: BatchOptions): Promise<Outcome> {
	const { transport, publishTimeoutMs, onError, tracer, keys = [], at } = options;
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
				const publication = publishTraced(transport, openEvent(event.envelope, keys), tracer);
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
