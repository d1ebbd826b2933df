import type { EventEnvelope } from "@lango/contracts";
import type { Subscription, Transport } from "./transport.ts";

type Subscriber = Subscription & { underWay: Set<Promise<void>> };

/**
 * Carries events within one process, for running all services without a bus. It keeps nothing: `publish` resolves when
 * every subscriber has applied the event and rejects when one has not, so that the relay publishes it to all again.
 */
export function inProcessTransport(): Transport {
	const subscribers = new Map<string, Subscriber>();
	let isClosed = false;
	const stop = async (subscriber: Subscriber) => {
		subscribers.delete(subscriber.consumer);
		await Promise.allSettled(subscriber.underWay);
	};

	return {
		async publish(envelope) {
			if (isClosed) throw new Error("the transport is closed");
			const interested = [...subscribers.values()].filter(({ types }) => types.includes(envelope.type));
			const outcomes = await Promise.allSettled(
				interested.map((subscriber) => deliver(subscriber, envelope)),
			);
			const failures = outcomes
				.filter((outcome) => outcome.status === "rejected")
				.map(({ reason }) => reason);
			if (failures.length > 0)
				throw new AggregateError(failures, `${failures.length} of ${interested.length} consumers failed`);
		},
		async subscribe(subscription) {
			if (isClosed) throw new Error("the transport is closed");
			const { consumer } = subscription;
			if (subscribers.has(consumer)) throw new Error(`the consumer "${consumer}" has subscribed already`);
			const subscriber = { ...subscription, underWay: new Set<Promise<void>>() };
			subscribers.set(consumer, subscriber);
			return { stop: () => stop(subscriber) };
		},
		async close() {
			isClosed = true;
			await Promise.all([...subscribers.values()].map(stop));
		},
	};
}

/** Each consumer gets a copy, as over a wire: what one changes in it no other sees. */
async function deliver({ deliver, underWay }: Subscriber, envelope: EventEnvelope): Promise<void> {
	const delivery = (async () => deliver(structuredClone(envelope)))();
	underWay.add(delivery);
	try {
		await delivery;
	} finally {
		underWay.delete(delivery);
	}
}
