import type { EventEnvelope, EventType } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { Static, TSchema } from "typebox";
import { assertData, assertEnvelope } from "./check-event.ts";
import { recordDelivery, removeDeliveries } from "./inbox.store.ts";
import { pause } from "./pause.ts";
import type { OnError } from "./publish-batch.ts";
import type { Transport } from "./transport.ts";

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
};

/**
 * Subscribes a service to the events its consumers name. Several consumers of one type share a transaction, in the order
 * they are declared. `stop` waits for what is under way.
 */
export async function startConsumers(options: ConsumersOptions): Promise<{ stop(): Promise<void> }> {
	const { service, transport, consumers, onError } = options;
	if (consumers.length === 0) return { stop: async () => undefined };
	const subscription = await transport.subscribe({
		consumer: service,
		types: [...new Set(consumers.map(({ eventType }) => eventType.type))],
		deliver: async (envelope) => {
			try {
				await applyOnce(envelope, options);
			} catch (error) {
				onError(error, `apply ${envelope.type} ${envelope.id}`);
				throw error;
			}
		},
	});
	const stopping = new AbortController();
	const purging = purge(options, stopping.signal);
	return {
		async stop() {
			stopping.abort();
			await subscription.stop();
			await purging;
		},
	};
}

async function applyOnce(
	envelope: EventEnvelope,
	{ service, db, consumers, now = systemNow }: ConsumersOptions,
): Promise<void> {
	assertEnvelope(envelope);
	const concerned = consumers.filter(({ eventType }) => eventType.type === envelope.type);
	await db.transaction(async (tx) => {
		const { isFirst } = await recordDelivery(tx, { eventId: envelope.id, consumer: service, now: now() });
		if (!isFirst) return;
		for (const consumer of concerned) await consumer.apply(tx, envelope);
	});
}

const systemNow = () => new Date();
const keepMs = 30 * 24 * 3_600_000;
const purgeEveryMs = 3_600_000;
const purgeMax = 500;

/** Removes notes that no delivery will ask for any more, at the start and once an hour. */
async function purge({ db, now = systemNow, onError }: ConsumersOptions, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		let removed = 0;
		try {
			removed = await removeDeliveries(db, { before: new Date(now().getTime() - keepMs), limit: purgeMax });
		} catch (error) {
			onError(error, "remove old deliveries");
		}
		if (removed < purgeMax) await pause(purgeEveryMs, signal);
	}
}
