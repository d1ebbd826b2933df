import type { EventEnvelope } from "@lango/contracts";

/** What one consumer wants delivered. */
export type Subscription = {
	/** The name under which deliveries are counted: two subscribers of one name are one consumer. */
	consumer: string;
	types: readonly string[];
	/** Resolves when the event has had its effect; what it rejects is delivered again. */
	deliver: (envelope: EventEnvelope) => Promise<void>;
};

/** What carries events between services: at least once, and in order per subject when they are published in order. */
export type Transport = {
	/** Resolves when the event cannot get lost any more. */
	publish(envelope: EventEnvelope): Promise<void>;
	/** Starts delivering; `stop` takes no more and waits for what is under way. */
	subscribe(subscription: Subscription): Promise<{ stop(): Promise<void> }>;
	/** Stops all subscriptions. Publishing is refused from then on. */
	close(): Promise<void>;
};
