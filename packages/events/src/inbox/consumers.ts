import { authUserDeleted, type EventEnvelope, type EventType } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { Tracer } from "@opentelemetry/api";
import type { Static, TSchema } from "typebox";
import { assertData } from "../check-event.ts";
import { erasePersonFromEvents } from "../outbox/outbox.store.ts";
import { pause } from "../pause.ts";
import type { At } from "../step.ts";
import { byStream } from "../stream.ts";
import type { OnError, OnLost, Transport } from "../transport.ts";
import { type Applied, type Applying, startApplying } from "./apply-deliveries.ts";
import { removeNotes, removeVersions } from "./inbox.store.ts";
import { openInbox } from "./open-inbox.ts";
import { declareReading } from "./readings.store.ts";

/** What a service does about one type of event. */
export type Consumer = {
	eventType: EventType;
	/** Checks the data against the contract and has the effect, in the transaction it is given. */
	apply: (db: Database, envelope: EventEnvelope) => Promise<void>;
};

/**
 * Declares the effect of an event in the consumer's own database. It runs in a transaction that also notes the event, so
 * it happens once however often the event comes; what it does outside of that transaction may happen again.
 */
export function defineConsumer<S extends TSchema>(
	eventType: EventType<S>,
	effect: (db: Database, envelope: EventEnvelope<Static<S>>) => Promise<void>,
): Consumer {
	return {
		eventType,
		apply: async (db, envelope) => {
			const { data } = envelope;
			assertData(eventType, data);
			await effect(db, { ...envelope, data });
		},
	};
}

export type ConsumersOptions = {
	/** Under this name the service's deliveries are noted. */
	service: string;
	db: Database;
	transport: Transport;
	consumers: readonly Consumer[];
	onError: OnError;
	now?: () => Date;
	/** How many events, of different subjects, have their effect at the same time. */
	effectsAtOnce?: number;
	/** How often it is looked for what is to be tried again. */
	intervalMs?: number;
	/** Told of each event that has had its effect, on the trail it belongs to. */
	onApplied?: ((applied: Applied) => void) | undefined;
	/** Told of the type of each event whose effect was tried and failed. */
	onFailed?: ((type: string) => void) | undefined;
	/** Told how many messages of a stream were removed before they were read. */
	onLost?: OnLost | undefined;
	/** Makes spans of the effects. */
	tracer?: Tracer | undefined;
	at?: At | undefined;
};

/**
 * Subscribes a service to the events its consumers name; one it never heard of before it hears from the beginning. Several
 * consumers of one type share a transaction, in the order they are declared. Any number of processes may consume for one
 * service. Works while the transport is away; throws when the database is. `stop` waits for what is under way.
 */
export async function startConsumers(options: ConsumersOptions): Promise<{ stop(): Promise<void> }> {
	const { service, db, transport, consumers, onError, onLost, now = systemNow, at } = options;
	if (consumers.length === 0) return { stop: async () => undefined };
	const types = [...new Set(consumers.map(({ eventType }) => eventType.type))];
	for (const [stream, ofStream] of byStream(types))
		await declareReading(db, { consumer: service, stream, types: ofStream });
	const applying = apply({ ...options, types, now });
	const inbox = openInbox({ consumer: service, types, db, now, onFresh: applying.wake, onError, at });
	const stopping = new AbortController();
	const purging = purge({ db, now, onError }, stopping.signal);
	const stop = async (subscription?: { stop(): Promise<void> }) => {
		stopping.abort();
		await subscription?.stop();
		await applying.stop();
		await purging;
	};
	try {
		const subscription = await transport.subscribe({
			consumer: service,
			types,
			inbox,
			now,
			onError,
			onLost,
			at,
		});
		return { stop: () => stop(subscription) };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** In this time an event that another process took over, or that is to be tried again, is noticed. */
const lookEveryMs = 500;

function apply({
	service,
	types,
	db,
	consumers,
	onError,
	now = systemNow,
	effectsAtOnce = 3,
	intervalMs = lookEveryMs,
	onApplied,
	onFailed,
	tracer,
	at,
}: ConsumersOptions & { types: readonly string[] }): Applying {
	return startApplying({
		consumer: service,
		types,
		db,
		now,
		onError,
		atOnce: effectsAtOnce,
		intervalMs,
		onApplied,
		onFailed,
		tracer,
		at,
		apply: async (tx, envelope) => {
			const concerned = consumers.filter(({ eventType }) => eventType.type === envelope.type);
			for (const consumer of concerned) await consumer.apply(tx, envelope);
			if (envelope.type === authUserDeleted.type) await erasePersonFromEvents(tx, envelope.subject);
		},
	});
}

const systemNow = () => new Date();
const keepMs = 30 * 24 * 3_600_000;
const purgeEveryMs = 3_600_000;
const purgeMax = 500;

type Purging = Pick<ConsumersOptions, "db" | "onError"> & { now: () => Date };

/** Removes notes that no delivery will ask for any more, at the start and once an hour. */
async function purge({ db, now, onError }: Purging, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		let removed = 0;
		try {
			const old = { before: new Date(now().getTime() - keepMs), limit: purgeMax };
			removed = Math.max(await removeNotes(db, old), await removeVersions(db, old));
		} catch (error) {
			onError(error, "remove old deliveries");
		}
		if (removed < purgeMax) await pause(purgeEveryMs, signal);
	}
}
