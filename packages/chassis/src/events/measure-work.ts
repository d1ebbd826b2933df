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

/**
 * Scrapes within `shareMs` share one query, and only one query runs at a time. No scrape waits longer than
 * `answerMs`.
 */
const shareMs = 1_000;
const answerMs = 2_000;
/** The bus is queried less often, because each stream needs three requests. */
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

/** Measures the backlogs of outbox and inbox. While the database is unavailable, nothing is reported. */
export function measureEvents(
	{ db, meter, log, now }: Context,
	{ name, hasConsumers }: { name: string; hasConsumers: boolean },
): void {
	const backlog = shared(() => readBacklog(db, { consumer: name, now: now() }), {
		everyMs: shareMs,
		onError: (err) => log.warn({ err }, "events could not be counted, will retry"),
	});
	const report = (read: (known: Backlog) => number) => async () => {
		const known = await backlog();
		return known === undefined ? [] : [{ value: read(known) }];
	};
	observe(
		meter,
		"lango.outbox.backlog",
		report(({ unpublished }) => unpublished),
	);
	observe(
		meter,
		"lango.outbox.age",
		report(({ unpublishedSeconds }) => unpublishedSeconds),
	);
	if (!hasConsumers) return;
	observe(
		meter,
		"lango.inbox.backlog",
		report(({ unapplied }) => unapplied),
	);
	observe(
		meter,
		"lango.inbox.age",
		report(({ unappliedSeconds }) => unappliedSeconds),
	);
	observe(
		meter,
		"lango.inbox.dead_letters",
		report(({ dead }) => dead),
	);
}

/**
 * Reads at most once per interval and one at a time; undefined if the read fails or takes longer than
 * `answerMs`.
 */
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

/**
 * Measures the unread messages on the bus. While the bus is unavailable, nothing is reported; the transport
 * logs the failure.
 */
export function measureUnread({ transport, meter, log }: Context, consumer: string): void {
	const unread = shared(() => transport.unread(consumer), {
		everyMs: shareBusMs,
		onError: (err) =>
			err instanceof TransportUnavailable || log.warn({ err }, "the bus could not be queried, will retry"),
	});
	const report = (read: (one: Unread) => number) => async () =>
		((await unread()) ?? []).map((one) => ({
			value: read(one),
			attributes: { "lango.stream": one.stream },
		}));
	observe(
		meter,
		"lango.stream.unread",
		report(({ messages }) => messages),
	);
	observe(
		meter,
		"lango.stream.age",
		report(({ seconds }) => seconds),
	);
}

/** Measures and logs applied events, and counts failed attempts and messages that are lost. */
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
