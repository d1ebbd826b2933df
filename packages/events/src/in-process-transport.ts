import type { EventEnvelope } from "@lango/contracts";
import { outsideTransactions, withoutRequestContext } from "@lango/tracing";
import { readOrTell, toBytes } from "./envelope.ts";
import { byStream } from "./stream.ts";
import {
	type Message,
	type Observation,
	type Replay,
	type Subscription,
	type Told,
	type Transport,
	TransportUnavailable,
	type Unread,
} from "./transport.ts";

type Subscriber = Subscription & {
	underWay: Set<Promise<void>>;
	/** What was told before goes before what happens now. */
	caughtUp: Promise<void>;
	/** Since when to catch up, by stream; also with the outbox of who begins to publish later. */
	since: Map<string, Date>;
	/** Outboxes it has not caught up with yet. */
	behind: Set<Told>;
	startedAt: number;
	look: NodeJS.Timeout;
};

const replayedAtOnce = 200;
const lookEveryMs = 3_000;
/** The mark of when a subscriber last listened may be older than the last event it took over, never younger. */
const marginMs = 60_000;
/** After so long every service of the process has begun to publish. */
const settledMs = 60_000;

/**
 * Carries events within one process, for running all services without a bus. `publish` resolves when every subscriber
 * has taken the event over and rejects when one could not, so that the relay publishes it to all again. It has no memory of
 * its own: what was told while a subscriber was not there is read from the outboxes of those who publish.
 */
export function inProcessTransport(): Transport {
	const subscribers = new Map<string, Subscriber>();
	const observations = new Set<Observation>();
	const told = new Set<Told>();
	let isClosed = false;
	const assertOpen = () => {
		if (isClosed) throw new Error("the transport is closed");
	};
	const stop = async (subscriber: Subscriber) => {
		clearInterval(subscriber.look);
		subscribers.delete(subscriber.consumer);
		await Promise.allSettled([subscriber.caughtUp, ...subscriber.underWay]);
	};

	return {
		publishedAtOnce: 4,
		async publish(envelope) {
			assertOpen();
			const interested = [...subscribers.values()].filter(({ types }) => types.includes(envelope.type));
			const message = { type: envelope.type, bytes: toBytes(envelope) };
			const outcomes = await Promise.allSettled(interested.map((one) => handOver(one, message)));
			for (const observation of observations) tell(observation, message);
			const failures = outcomes
				.filter((outcome) => outcome.status === "rejected")
				.map(({ reason }) => reason);
			if (failures.length > 0)
				throw new AggregateError(failures, `${failures.length} of ${interested.length} consumers failed`);
		},
		async announce(outbox) {
			told.add(outbox);
			for (const one of subscribers.values()) {
				one.behind.add(outbox);
				await inTurn(one, () => catchUp(one));
			}
			return {
				withdraw() {
					told.delete(outbox);
					for (const { behind } of subscribers.values()) behind.delete(outbox);
				},
			};
		},
		async subscribe(subscription) {
			assertOpen();
			const { consumer } = subscription;
			if (subscribers.has(consumer)) throw new Error(`the consumer "${consumer}" has subscribed already`);
			const subscriber: Subscriber = {
				...subscription,
				underWay: new Set(),
				caughtUp: Promise.resolve(),
				since: new Map(),
				behind: new Set(told),
				startedAt: performance.now(),
				look: setInterval(() => void inTurn(subscriber, () => look(subscriber, [...told])), lookEveryMs),
			};
			subscribers.set(consumer, subscriber);
			await inTurn(subscriber, () => catchUp(subscriber));
			return { stop: () => stop(subscriber) };
		},
		async observe(observation) {
			assertOpen();
			observations.add(observation);
			return { stop: async () => void observations.delete(observation) };
		},
		unread: async (consumer) => noneUnread(subscribers.get(consumer)),
		replaySince: (wish) => replaySince(wish, told),
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

/** What is not taken over is not published: it waits in the outbox. */
const noneUnread = ({ types }: Pick<Subscriber, "types"> = { types: [] }): readonly Unread[] =>
	[...byStream(types).keys()].map((stream) => ({ stream, messages: 0, seconds: 0 }));

async function handOver(
	{ consumer, inbox, underWay, caughtUp, behind, at }: Subscriber,
	message: Message,
): Promise<void> {
	// As over a wire, nobody takes it over on the trail, or inside the transaction, of who publishes.
	const delivery = asOverAWire(async () => {
		await caughtUp;
		if (behind.size > 0) throw new Error(`${consumer} has not caught up yet`);
		await inbox.room();
		await inbox.keep([message]);
		at?.("messages acknowledged");
	});
	underWay.add(delivery);
	try {
		await delivery;
	} finally {
		underWay.delete(delivery);
	}
}

/** Each gets a copy, as over a wire: what one changes in it no other sees. */
function tell({ types, deliver: observe, onError }: Observation, { type, bytes }: Message): void {
	const copy = types.includes(type) ? readOrTell(bytes, type, onError) : undefined;
	if (copy !== undefined) asOverAWire(() => observe(copy));
}

const asOverAWire = <T>(work: () => T): T => outsideTransactions(() => withoutRequestContext(work));

/** What is published meanwhile waits. A failure is told of, and tried again until it succeeds. */
function inTurn(subscriber: Subscriber, work: () => Promise<void>): Promise<void> {
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

/** Brings a subscriber what was published while it was not there, or what it asks for again. */
async function catchUp(subscriber: Subscriber): Promise<void> {
	const { inbox, since, behind } = subscriber;
	const streams = byStream(subscriber.types);
	for (const stream of streams.keys()) {
		if (since.has(stream)) continue;
		const place = await inbox.takeTurn(stream, { isSure: true });
		const mark = Math.min((place?.sequence ?? 0) - marginMs, place?.replayFrom?.getTime() ?? Infinity);
		since.set(stream, new Date(Math.max(mark, 0)));
	}
	for (const outbox of [...behind]) {
		for (const [stream, types] of streams)
			await readAgain(subscriber, [outbox], { types, since: since.get(stream) ?? new Date(0) });
		behind.delete(outbox);
	}
}

/** Marks that the subscriber listens, and reads again what an operator asks for. */
async function look(subscriber: Subscriber, outboxes: readonly Told[]): Promise<void> {
	const { inbox, now, startedAt } = subscriber;
	const isSettled = performance.now() - startedAt > settledMs;
	if (subscriber.behind.size > 0) await catchUp(subscriber);
	for (const [stream, types] of byStream(subscriber.types)) {
		const at = now();
		const { replayFrom } = (await inbox.takeTurn(stream, { isSure: true })) ?? {};
		const read = replayFrom && (await readAgain(subscriber, outboxes, { types, since: replayFrom }));
		// Whoever tells of such events may not have begun to publish yet.
		if (read === 0 && !isSettled) continue;
		await inbox.move(stream, { sequence: at.getTime(), streamMadeAt: undefined }, replayFrom);
	}
}

async function readAgain(
	{ inbox }: Subscriber,
	outboxes: readonly Told[],
	wish: { types: readonly string[]; since: Date },
): Promise<number> {
	let read = 0;
	for (const outbox of outboxes) {
		for await (const envelopes of pagesOf(outbox, wish)) {
			read += envelopes.length;
			await inbox.room();
			await inbox.keep(envelopes.map((envelope) => ({ type: envelope.type, bytes: toBytes(envelope) })));
		}
	}
	return read;
}

async function* pagesOf(
	outbox: Told,
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

async function replaySince(replay: Replay, told: ReadonlySet<Told>): Promise<void> {
	const { timeoutMs = replayTimeoutMs } = replay;
	const endAt = performance.now() + timeoutMs;
	for (const outbox of told) {
		for await (const envelopes of pagesOf(outbox, replay)) {
			if (performance.now() > endAt)
				throw new TransportUnavailable("what was told before is too much to read now");
			await deliverCopies(envelopes, replay);
		}
	}
}

async function deliverCopies(envelopes: readonly EventEnvelope[], { deliver, onError }: Replay) {
	for (const envelope of envelopes) {
		const copy = readOrTell(toBytes(envelope), envelope.type, onError);
		if (copy !== undefined) await deliver(copy);
	}
}
