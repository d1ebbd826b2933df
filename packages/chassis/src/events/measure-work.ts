import {
	type Applied,
	type Backlog,
	readBacklog,
	streamOf,
	TransportUnavailable,
	type Unread,
} from "@lango/events";
import type { Pool } from "@lango/postgres";
import { histogram, observe } from "../observe/instruments.ts";
import type { Context } from "../service.ts";

/** Scrapes that follow each other so soon share one answer of the database, it is asked once at a time, and nobody waits longer. */
const shareMs = 1_000;
const answerMs = 2_000;
/** The bus is asked less often: three questions for each stream. */
const shareBusMs = 15_000;

/** Measures the connections of a service's pool. */
export function measurePool(
	{ meter }: Pick<Context, "meter">,
	{ db, name }: { db: Pool; name: string },
): void {
	const pool = { "db.client.connection.pool.name": name };
	observe(meter, "db.client.connection.count", () => {
		const { used, idle } = db.connections();
		return [
			{ value: used, attributes: { ...pool, "db.client.connection.state": "used" } },
			{ value: idle, attributes: { ...pool, "db.client.connection.state": "idle" } },
		];
	});
	observe(meter, "db.client.connection.max", () => [{ value: db.connections().max, attributes: pool }]);
	observe(meter, "db.client.connection.pending_requests", () => [
		{ value: db.connections().pending, attributes: pool },
	]);
}

/** Measures what waits in outbox and inbox. While the database cannot say, nothing is told. */
export function measureEvents(
	{ db, meter, log, now }: Context,
	{ name, hasConsumers }: { name: string; hasConsumers: boolean },
): void {
	const backlog = shared(() => readBacklog(db, { consumer: name, now: now() }), {
		everyMs: shareMs,
		onError: (err) => log.warn({ err }, "events could not be counted, will retry"),
	});
	const tell = (read: (known: Backlog) => number) => async () => {
		const known = await backlog();
		return known === undefined ? [] : [{ value: read(known) }];
	};
	observe(
		meter,
		"lango.outbox.backlog",
		tell(({ unpublished }) => unpublished),
	);
	observe(
		meter,
		"lango.outbox.age",
		tell(({ unpublishedSeconds }) => unpublishedSeconds),
	);
	if (!hasConsumers) return;
	observe(
		meter,
		"lango.inbox.backlog",
		tell(({ unapplied }) => unapplied),
	);
	observe(
		meter,
		"lango.inbox.age",
		tell(({ unappliedSeconds }) => unappliedSeconds),
	);
	observe(
		meter,
		"lango.inbox.dead_letters",
		tell(({ dead }) => dead),
	);
}

/** Asks at most so often and once at a time; undefined when it fails, or takes longer than whoever waits for it does. */
function shared<T>(
	read: () => Promise<T>,
	{ everyMs, onError }: { everyMs: number; onError: (error: unknown) => void },
): () => Promise<T | undefined> {
	let asked: Promise<T | undefined> = Promise.resolve(undefined);
	let isAsking = false;
	let askedAt = Number.NEGATIVE_INFINITY;
	const ask = async () => {
		isAsking = true;
		askedAt = performance.now();
		try {
			return await read();
		} catch (error) {
			onError(error);
			return undefined;
		} finally {
			isAsking = false;
		}
	};
	return () => {
		if (!isAsking && performance.now() - askedAt > everyMs) asked = ask();
		const late = new Promise<undefined>((resolve) => setTimeout(resolve, answerMs, undefined).unref());
		return Promise.race([asked, late]);
	};
}

/** Measures what lies on the bus and was not read. While the bus cannot say, nothing is told: that it is away is told elsewhere. */
export function measureUnread({ transport, meter, log }: Context, consumer: string): void {
	const unread = shared(() => transport.unread(consumer), {
		everyMs: shareBusMs,
		onError: (err) =>
			err instanceof TransportUnavailable || log.warn({ err }, "the bus could not be queried, will retry"),
	});
	const tell = (read: (one: Unread) => number) => async () =>
		((await unread()) ?? []).map((one) => ({
			value: read(one),
			attributes: { "lango.stream": one.stream },
		}));
	observe(
		meter,
		"lango.stream.unread",
		tell(({ messages }) => messages),
	);
	observe(
		meter,
		"lango.stream.age",
		tell(({ seconds }) => seconds),
	);
}

/** Measures and logs effects of events as they are had, and counts the tries that failed and messages nobody can read any more. */
export function measureEffects({ meter, log }: Context, types: readonly string[]) {
	const effects = histogram(meter, "messaging.process.duration");
	const failures = new Map(types.map((type) => [type, 0]));
	observe(meter, "lango.inbox.failures", () =>
		[...failures].map(([type, value]) => ({ value, attributes: { "messaging.destination.name": type } })),
	);
	const lost = new Map(types.map((type) => [streamOf(type), 0]));
	observe(meter, "lango.stream.lost", () =>
		[...lost].map(([stream, value]) => ({ value, attributes: { "lango.stream": stream } })),
	);
	return {
		onLost: (stream: string, messages: number) => void lost.set(stream, (lost.get(stream) ?? 0) + messages),
		onApplied: ({ type, id, seconds }: Applied) => {
			effects.record(seconds, { "messaging.destination.name": type });
			log.info({ type, event: id, ms: Math.round(seconds * 1_000) }, "event");
		},
		onFailed: (type: string) => void failures.set(type, (failures.get(type) ?? 0) + 1),
	};
}
