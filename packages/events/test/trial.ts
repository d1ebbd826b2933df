import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventEnvelope, EventType } from "@lango/contracts";
import {
	defineConsumer,
	eventMigrations,
	inProcessTransport,
	recordEvent,
	type Transport,
} from "@lango/events";
import type { Database, MigrationSet } from "@lango/postgres";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import Type, { type TInteger, type TObject } from "typebox";

/** The event of these tests: the counter named by the subject has reached `n`. */
export const counted: EventType<TObject<{ n: TInteger }>> = {
	type: "trial.counter.counted",
	source: "/trial",
	subject: "counter",
	because: "a counter has gone up",
	data: Type.Object({ n: Type.Integer() }),
};

const trial: MigrationSet = { name: "trial", folder: join(import.meta.dirname, "trial") };
const sets: readonly MigrationSet[] = [eventMigrations, trial];

export const createTrialDatabase = (): Promise<TestDatabase> => createTestDatabase({ name: "events", sets });

/** The maximum size of a stream in these tests, for publishers and readers. */
export const streamBytesMax = 64 * 2 ** 20;

/** Increments the counter and records the event, in one transaction. */
export function count(db: Database, subject: string, now = new Date()): Promise<number> {
	return db.transaction(async (tx) => {
		const [row] = await tx.query<{ value: number }>(
			`insert into counters (subject, value) values ($1, 1)
			 on conflict (subject) do update set value = counters.value + 1 returning value`,
			[subject],
		);
		const n = row?.value ?? 0;
		await recordEvent(tx, counted, { subject, now, data: { n } });
		return n;
	});
}

/** Records each count as an effect. `before` runs first, `after` before the commit. */
export const noting = (
	consumer: string,
	before = async (_: EventEnvelope) => {},
	after = async (_: EventEnvelope) => {},
) =>
	defineConsumer(counted, async (db, envelope) => {
		await before(envelope);
		await db.query("insert into effects (consumer, subject, n) values ($1, $2, $3)", [
			consumer,
			envelope.subject,
			envelope.data.n,
		]);
		await after(envelope);
	});

/** The effects of a consumer for each subject, in order. */
export async function effectsOf(db: Database, consumer: string): Promise<Record<string, number[]>> {
	const rows = await db.query<{ subject: string; n: number }>(
		"select subject, n from effects where consumer = $1 order by position",
		[consumer],
	);
	return bySubject(rows);
}

/** The expected effects of a consumer that has received every count. */
export async function countersOf(db: Database): Promise<Record<string, number[]>> {
	const rows = await db.query<{ subject: string; value: number }>("select subject, value from counters");
	return Object.fromEntries(
		rows.map(({ subject, value }) => [subject, Array.from({ length: value }, (_, index) => index + 1)]),
	);
}

export const bySubject = (rows: ReadonlyArray<{ subject: string; n: number }>): Record<string, number[]> =>
	Object.fromEntries(
		[...Map.groupBy(rows, ({ subject }) => subject)].map(([subject, list]) => [
			subject,
			list.map(({ n }) => n),
		]),
	);

export async function countUnpublished(db: Database): Promise<number> {
	const [row] = await db.query<{ n: number }>(
		"select count(*)::int as n from outbox where published_at is null",
	);
	return row?.n ?? -1;
}

export const emptyAll = async (ownerDb: Database): Promise<void> => {
	await ownerDb.query(
		"truncate outbox, inbox, deliveries, readings, applied_versions, counters, effects restart identity",
	);
};

let ids = 0;

/** An event as sent on the wire. Each call creates another event. */
export function event(n: unknown, subject = "a", more: Partial<EventEnvelope> = {}): EventEnvelope {
	ids += 1;
	return {
		specversion: "1.0",
		id: `0197a000-0000-7000-8000-${String(ids).padStart(12, "0")}`,
		source: "/trial",
		type: counted.type,
		time: "2026-03-01T12:00:00.000Z",
		subject,
		datacontenttype: "application/json",
		data: { n },
		...more,
	};
}

/**
 * A transport that calls `meddle` instead of publishing: it may publish, fail, publish twice, or never
 * resolve.
 */
export function meddling(meddle: (envelope: EventEnvelope, inner: Transport) => Promise<void>): Transport {
	const inner = inProcessTransport();
	return { ...inner, publish: (envelope) => meddle(envelope, inner) };
}

/** A transport whose subscriptions take longer to end than an effect that waits for the same gate. */
export const endingLate = (inner: Transport, gate: Promise<void>): Transport => ({
	...inner,
	subscribe: async (subscription) => {
		const { stop } = await inner.subscribe(subscription);
		return { stop: () => gate.then(() => sleep(200)).then(stop) };
	},
});

/** A transport that only records the published events. */
export function remembering(meddle: (n: number, envelope: EventEnvelope) => Promise<void> = async () => {}) {
	const published: Array<{ subject: string; n: number }> = [];
	const transport = meddling(async (envelope) => {
		const { n } = envelope.data as { n: number };
		await meddle(n, envelope);
		published.push({ subject: envelope.subject, n });
	});
	return { transport, published };
}

/** A clock that is set by hand. */
export function manualClock(at = new Date("2026-03-01T12:00:00Z")) {
	let time = at.getTime();
	return {
		now: () => new Date(time),
		advance: (ms: number) => {
			time += ms;
		},
	};
}

/** The faults of a consumer, or an operator's action on its dead letter. */
export type Misfortune = "none" | "refused" | "fails once" | "poisoned" | "unfit" | "redriven" | "given up";

/** A clock that runs 3,600 times as fast, so that ten attempts take seconds. */
export const fastClock = (since: number) => () => new Date(since + (Date.now() - since) * 3_600);
