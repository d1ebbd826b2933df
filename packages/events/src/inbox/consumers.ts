import { authUserDeleted, type EventEnvelope, type EventType } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import type { Tracer } from "@opentelemetry/api";
import type { Static, TSchema } from "typebox";
import { assertData } from "../check-event.ts";
import { erasePersonFromEvents } from "../outbox/outbox.store.ts";
import { pause } from "../pause.ts";
import { pollMs } from "../poll-interval.ts";
import { type SensitiveMembers, sensitiveMembersOf } from "../sensitive.ts";
import type { At } from "../step.ts";
import { byStream } from "../stream.ts";
import type { OnError, OnLost, Transport } from "../transport.ts";
import { type Applied, type Applying, startApplying } from "./apply-deliveries.ts";
import { removeNotes, removeVersions } from "./inbox.store.ts";
import { openInbox } from "./open-inbox.ts";
import { declareReading } from "./readings.store.ts";

/** The effect of one event type in a service. */
export type Consumer = {
	eventType: EventType;
	/** Validates the data and applies the event, in the given transaction. */
	apply: (db: Database, envelope: EventEnvelope) => Promise<void>;
};

/**
 * Declares the effect of an event type in the consumer's own database. It runs in a transaction that also
 * records the event in the inbox, which makes it exactly-once. Effects outside of that transaction may happen
 * more than once.
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
	/** The name of the consumer: deliveries are recorded under it. */
	service: string;
	db: Database;
	transport: Transport;
	consumers: readonly Consumer[];
	onError: OnError;
	now?: () => Date;
	/** The number of events, of different subjects, that are applied concurrently. */
	effectsAtOnce?: number;
	/**
	 * The polling interval of an idle process, for events that another process has stored. Retries are not
	 * polled for. Default: `pollMs`.
	 */
	intervalMs?: number;
	/** Called for each applied event, in its request context. */
	onApplied?: ((applied: Applied) => void) | undefined;
	/** Called with the type of each event whose effect failed. */
	onFailed?: ((type: string) => void) | undefined;
	/** Called with the number of messages that were removed from a stream before they were read. */
	onLost?: OnLost | undefined;
	/** Creates the spans of effects. */
	tracer?: Tracer | undefined;
	/** Encrypt the sensitive members of stored events. Required if a consumed type has some. */
	keys?: KeyEncryptionKeys | undefined;
	at?: At | undefined;
};

/**
 * Subscribes a service to the event types of its consumers. A new subscription starts at the beginning of the
 * stream. Several consumers of one type share a transaction, in the order of their declaration. Several
 * processes may consume for one service. Works while the transport is unavailable; throws an Error if the
 * database fails, or the keys for sensitive members are missing. `stop` starts no further effect, and waits
 * for the running ones.
 */
export async function startConsumers(options: ConsumersOptions): Promise<{ stop(): Promise<void> }> {
	const { service, db, transport, consumers, onError, onLost, now = systemNow, at } = options;
	if (consumers.length === 0) return { stop: async () => undefined };
	const types = [...new Set(consumers.map(({ eventType }) => eventType.type))];
	const sensitive = sensitiveMembersOf(consumers.map(({ eventType }) => eventType));
	const { keys = [] } = options;
	if (sensitive.size > 0 && keys.length === 0)
		throw new Error(
			`${service} consumes ${[...sensitive.keys()].join(", ")}: key-encryption keys are missing`,
		);
	for (const [stream, ofStream] of byStream(types))
		await declareReading(db, { consumer: service, stream, types: ofStream });
	const applying = apply({ ...options, types, sensitive, now });
	const inbox = openInbox({
		consumer: service,
		types,
		sensitive,
		keys,
		db,
		now,
		onFresh: applying.wake,
		onError,
		at,
	});
	const stopping = new AbortController();
	const purging = purge({ db, now, onError }, stopping.signal);
	const stop = async (subscription?: { stop(): Promise<void> }) => {
		stopping.abort();
		// At once: while a busy bus ends the subscription, no further effect is started.
		await Promise.all([subscription?.stop(), applying.stop(), purging]);
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

function apply({
	service,
	types,
	sensitive,
	db,
	consumers,
	onError,
	now = systemNow,
	effectsAtOnce = 3,
	transport,
	intervalMs = pollMs(transport),
	onApplied,
	onFailed,
	tracer,
	keys = [],
	at,
}: ConsumersOptions & { types: readonly string[]; sensitive: SensitiveMembers }): Applying {
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
		sensitive,
		keys,
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

/** Removes inbox entries that are older than any delivery, at the start and once an hour. */
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
