import { type Applied, type Backlog, readBacklog } from "@lango/events";
import type { Pool } from "@lango/postgres";
import { histogram, observe } from "./instruments.ts";
import type { Context } from "./service.ts";

/** Scrapes that follow each other so soon share one answer of the database, it is asked once at a time, and nobody waits longer. */
const shareMs = 1_000;
const answerMs = 2_000;

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
	let asked: Promise<Backlog | undefined> = Promise.resolve(undefined);
	let isAsking = false;
	let askedAt = Number.NEGATIVE_INFINITY;
	const ask = async () => {
		isAsking = true;
		askedAt = performance.now();
		try {
			return await readBacklog(db, { consumer: name, now: now() });
		} catch (err) {
			log.warn({ err }, "events not counted");
			return undefined;
		} finally {
			isAsking = false;
		}
	};
	const backlog = () => {
		if (!isAsking && performance.now() - askedAt > shareMs) asked = ask();
		const late = new Promise<undefined>((resolve) => setTimeout(resolve, answerMs, undefined).unref());
		return Promise.race([asked, late]);
	};
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

/** Measures and logs effects of events as they are had, and counts the tries that failed. */
export function measureEffects({ meter, log }: Context, types: readonly string[]) {
	const effects = histogram(meter, "messaging.process.duration");
	const failures = new Map(types.map((type) => [type, 0]));
	observe(meter, "lango.inbox.failures", () =>
		[...failures].map(([type, value]) => ({ value, attributes: { "messaging.destination.name": type } })),
	);
	return {
		onApplied: ({ type, id, seconds }: Applied) => {
			effects.record(seconds, { "messaging.destination.name": type });
			log.info({ type, event: id, ms: Math.round(seconds * 1_000) }, "event");
		},
		onFailed: (type: string) => void failures.set(type, (failures.get(type) ?? 0) + 1),
	};
}
