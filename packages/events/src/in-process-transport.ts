import type { EventEnvelope } from "@lango/contracts";
import { outsideTransactions, withoutRequestContext } from "@lango/tracing";
import { readOrReport, toBytes } from "./envelope.ts";
import { byStream } from "./stream.ts";
import {
	type Message,
	type Observation,
	type PublishedEvents,
	type Replay,
	type Subscription,
	type Transport,
	TransportUnavailable,
	type Unread,
} from "./transport.ts";

type Subscriber = Subscription & {
	inFlight: Set<Promise<void>>;
	/** Resolves when the events of the past have been delivered. New events wait for it. */
	caughtUp: Promise<void>;
	/** The time to catch up from, by stream. Also used for outboxes that are announced later. */
	since: Map<string, Date>;
	/** The outboxes that this subscriber has not read yet. */
	behind: Set<PublishedEvents>;
	startedAt: number;
	/** When to store the time of a look next. */
	markAt: number;
	look: NodeJS.Timeout;
};

const replayedAtOnce = 200;
const lookEveryMs = 3_000;
/** How often the time of a look is stored: the next start reads again what was published since. */
const markEveryMs = 60_000;
/** Subtracted from the stored time, so that no event is missed. Duplicates have no effect. */
const marginMs = 60_000;
/** By then, every service of the process has announced its outbox. */
const settledMs = 60_000;

/**
 * Delivers events within one process, for running all services without a bus. `publish` resolves when every
 * subscriber has stored the event, and rejects if one could not, so that the relay publishes it to all again.
 * The transport stores nothing: events from before a subscription are read from the outboxes of the
 * publishers.
 */
export function inProcessTransport(): Transport {
	const subscribers = new Map<string, Subscriber>();
	const observations = new Set<Observation>();
	const outboxes = new Set<PublishedEvents>();
	let isClosed = false;
	const assertOpen = () => {
		if (isClosed) throw new Error("the transport is closed");
	};
	const stop = async (subscriber: Subscriber) => {
		clearInterval(subscriber.look);
		subscribers.delete(subscriber.consumer);
		await Promise.allSettled([subscriber.caughtUp, ...subscriber.inFlight]);
	};

	return {
		connectsProcesses: false,
		publishedAtOnce: 4,
		async publish(envelope) {
			assertOpen();
			const interested = [...subscribers.values()].filter(({ types }) => types.includes(envelope.type));
			const message = { type: envelope.type, bytes: toBytes(envelope) };
			const outcomes = await Promise.allSettled(interested.map((one) => deliverTo(one, message)));
			for (const observation of observations) notify(observation, message);
			const failures = outcomes
				.filter((outcome) => outcome.status === "rejected")
				.map(({ reason }) => reason);
			if (failures.length > 0)
				throw new AggregateError(failures, `${failures.length} of ${interested.length} consumers failed`);
		},
		async announce(outbox) {
			outboxes.add(outbox);
			for (const one of subscribers.values()) {
				one.behind.add(outbox);
				await enqueue(one, () => catchUp(one));
			}
			return {
				withdraw() {
					outboxes.delete(outbox);
					for (const { behind } of subscribers.values()) behind.delete(outbox);
				},
			};
		},
		async subscribe(subscription) {
			assertOpen();
			const { consumer } = subscription;
			if (subscribers.has(consumer)) throw new Error(`the consumer "${consumer}" is subscribed already`);
			const subscriber: Subscriber = {
				...newSubscriber(subscription, outboxes),
				look: setInterval(() => void enqueue(subscriber, () => look(subscriber, [...outboxes])), lookEveryMs),
			};
			subscribers.set(consumer, subscriber);
			await enqueue(subscriber, () => catchUp(subscriber));
			return { stop: () => stop(subscriber) };
		},
		async observe(observation) {
			assertOpen();
			observations.add(observation);
			return { stop: async () => void observations.delete(observation) };
		},
		unread: async (consumer) => nothingUnread(subscribers.get(consumer)),
		replaySince: (query) => replaySince(query, outboxes),
		async check() {
			assertOpen();
		},
		async close() {
			isClosed = true;
			observations.clear();
			await Promise.all([...subscribers.values()].map(stop));
		},
	};
}

const newSubscriber = (
	subscription: Subscription,
	outboxes: ReadonlySet<PublishedEvents>,
): Omit<Subscriber, "look"> => ({
	...subscription,
	inFlight: new Set(),
	caughtUp: Promise.resolve(),
	since: new Map(),
	behind: new Set(outboxes),
	startedAt: performance.now(),
	markAt: 0,
});

/** Events that were not delivered are not published either: they wait in the outbox. */
const nothingUnread = ({ types }: Pick<Subscriber, "types"> = { types: [] }): readonly Unread[] =>
	[...byStream(types).keys()].map((stream) => ({ stream, messages: 0, seconds: 0 }));

async function deliverTo(
	{ consumer, inbox, inFlight, caughtUp, behind, at }: Subscriber,
	message: Message,
): Promise<void> {
	// As with a bus, delivery has neither the request context nor the transaction of the publisher.
	const delivery = asSeparateProcess(async () => {
		await caughtUp;
		if (behind.size > 0) throw new Error(`${consumer} has not caught up yet`);
		await inbox.room();
		await inbox.keep([message]);
		at?.("messages acknowledged");
	});
	inFlight.add(delivery);
	try {
		await delivery;
	} finally {
		inFlight.delete(delivery);
	}
}

/** Every observer receives its own copy, as with a bus. */
function notify({ types, deliver: observe, onError }: Observation, { type, bytes }: Message): void {
	const copy = types.includes(type) ? readOrReport(bytes, type, onError) : undefined;
	if (copy !== undefined) asSeparateProcess(() => observe(copy));
}

const asSeparateProcess = <T>(work: () => T): T => outsideTransactions(() => withoutRequestContext(work));

/**
 * Runs `work` after the previous work of the subscriber; new events wait for it. An error is reported, and
 * `look` retries later.
 */
function enqueue(subscriber: Subscriber, work: () => Promise<void>): Promise<void> {
	const before = subscriber.caughtUp;
	subscriber.caughtUp = (async () => {
		await before;
		try {
			await work();
		} catch (error) {
			subscriber.onError(error, "catch up");
		}
	})();
	return subscriber.caughtUp;
}

/** Delivers the events from before the subscription, and those of a requested replay. */
async function catchUp(subscriber: Subscriber): Promise<void> {
	const { inbox, since, behind } = subscriber;
	const streams = byStream(subscriber.types);
	for (const stream of streams.keys()) {
		if (since.has(stream)) continue;
		const place = await inbox.acquireLease(stream, { isSure: true });
		const mark = Math.min((place?.sequence ?? 0) - marginMs, place?.replayFrom?.getTime() ?? Infinity);
		since.set(stream, new Date(Math.max(mark, 0)));
	}
	for (const outbox of [...behind]) {
		for (const [stream, types] of streams)
			await readAgain(subscriber, [outbox], { types, since: since.get(stream) ?? new Date(0) });
		behind.delete(outbox);
	}
}

/** Runs a replay that an operator has requested, and stores the time of this look once a minute. */
async function look(subscriber: Subscriber, outboxes: readonly PublishedEvents[]): Promise<void> {
	const { inbox, now, startedAt } = subscriber;
	const isSettled = performance.now() - startedAt > settledMs;
	if (subscriber.behind.size > 0) await catchUp(subscriber);
	const isRequested = await inbox.isReplayRequested();
	if (!isRequested && performance.now() < subscriber.markAt) return;
	subscriber.markAt = performance.now() + markEveryMs;
	for (const [stream, types] of byStream(subscriber.types)) {
		const at = now();
		const { replayFrom } = (await inbox.acquireLease(stream, { isSure: true })) ?? {};
		const read = replayFrom && (await readAgain(subscriber, outboxes, { types, since: replayFrom }));
		// The publisher of these events may not have announced its outbox yet.
		if (read === 0 && !isSettled) continue;
		await inbox.move(stream, { sequence: at.getTime(), streamMadeAt: undefined }, replayFrom);
	}
}

async function readAgain(
	{ inbox }: Subscriber,
	outboxes: readonly PublishedEvents[],
	query: { types: readonly string[]; since: Date },
): Promise<number> {
	let read = 0;
	for (const outbox of outboxes) {
		for await (const envelopes of pagesOf(outbox, query)) {
			read += envelopes.length;
			await inbox.room();
			await inbox.keep(envelopes.map((envelope) => ({ type: envelope.type, bytes: toBytes(envelope) })));
		}
	}
	return read;
}

async function* pagesOf(
	outbox: PublishedEvents,
	{ types, since }: { types: readonly string[]; since: Date },
): AsyncGenerator<EventEnvelope[]> {
	let after = 0n;
	for (;;) {
		const page = await outbox.list({ types, since, after, limit: replayedAtOnce });
		if (page.length > 0) yield page.map(({ envelope }) => envelope);
		if (page.length < replayedAtOnce) return;
		after = page.at(-1)?.position ?? after;
	}
}

const replayTimeoutMs = 30_000;

async function replaySince(replay: Replay, outboxes: ReadonlySet<PublishedEvents>): Promise<void> {
	const { timeoutMs = replayTimeoutMs } = replay;
	const endAt = performance.now() + timeoutMs;
	for (const outbox of outboxes) {
		for await (const envelopes of pagesOf(outbox, replay)) {
			if (performance.now() > endAt) throw new TransportUnavailable("the replay exceeds its time limit");
			await deliverCopies(envelopes, replay);
		}
	}
}

async function deliverCopies(envelopes: readonly EventEnvelope[], { deliver, onError }: Replay) {
	for (const envelope of envelopes) {
		const copy = readOrReport(toBytes(envelope), envelope.type, onError);
		if (copy !== undefined) await deliver(copy);
	}
}
