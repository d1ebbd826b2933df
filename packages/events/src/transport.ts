import type { EventEnvelope } from "@lango/contracts";
import type { At } from "./step.ts";

/** A message as delivered by a transport: the unparsed event, and the type that it was published as. */
export type Message = {
	type: string;
	bytes: Uint8Array;
	/**
	 * The unique position of the message, the same for every delivery. Without it, messages with equal bytes
	 * are one.
	 */
	place?: string;
};

/** The position up to which a consumer has read a stream. */
export type ReadPosition = {
	/** The sequence of the last stored message; 0 before the first. */
	sequence: number;
	/** The creation time of the stream that `sequence` belongs to. */
	streamMadeAt: Date | undefined;
	/** If set, read again from this time. The epoch means from the beginning of the stream. */
	replayFrom: Date | undefined;
};

/** Stores messages up to `to`, provided the consumer's position is still `from`. */
type Step = { stream: string; from: number; to: number };

/**
 * A consuming service's inbox. One process at a time holds the lease of a stream and renews it; writes of a
 * process that has lost its lease are refused.
 */
export type Inbox = {
	/**
	 * Stores messages in their order; the transport may delete them afterwards. Returns false and stores
	 * nothing if another process holds the lease or the position was changed. Throws an Error if the database
	 * fails.
	 */
	keep(messages: readonly Message[], step?: Step): Promise<boolean>;
	/** Resolves when there is room for more messages. */
	room(signal?: AbortSignal): Promise<void>;
	/**
	 * Acquires or renews the lease and returns the position. Returns undefined if another process holds it.
	 * With `isSure`, the lease is taken over from a process known to be gone.
	 */
	acquireLease(stream: string, options?: { isSure: boolean }): Promise<ReadPosition | undefined>;
	/** Renews the lease. Returns false if it was lost, or if a replay was requested. */
	renewLease(stream: string): Promise<boolean>;
	/**
	 * Stores the position to read from and marks the replay request `met` as done. Returns false if another
	 * replay was requested since.
	 */
	move(stream: string, place: Omit<ReadPosition, "replayFrom">, met: Date | undefined): Promise<boolean>;
	releaseLease(stream: string): Promise<void>;
	/** Whether an operator has requested a replay of one of the consumer's streams. */
	isReplayRequested(): Promise<boolean>;
};

/** A subscription of a consuming service. */
export type Subscription = {
	/** The name of the consumer. Subscribers with the same name share its deliveries. */
	consumer: string;
	types: readonly string[];
	inbox: Inbox;
	now: () => Date;
	onError: OnError;
	/** Called with the number of messages that were removed from a stream before they were read. */
	onLost?: OnLost | undefined;
	at?: At | undefined;
};

export type OnLost = (stream: string, messages: number) => void;

/**
 * The messages of a stream that a consumer has not stored yet, and the age of the oldest in seconds; 0 if
 * there is none.
 */
export type Unread = { stream: string; messages: number; seconds: number };

/** Called with errors and what they are about. Must not throw. */
export type OnError = (error: unknown, about: string) => void;

/** An observation: this process receives events as they happen, without storage. */
export type Observation = {
	types: readonly string[];
	/** Must be fast and must not throw. Usually it invalidates a cache. */
	deliver: (envelope: EventEnvelope) => void;
	/**
	 * Called after events may have been missed, once new events arrive again. Invalidate everything that
	 * depends on events.
	 */
	onGap: () => void;
	onError: OnError;
};

export type Replay = {
	types: readonly string[];
	since: Date;
	deliver: (envelope: EventEnvelope) => void | Promise<void>;
	onError: OnError;
	/** The time limit. Default: 30 s. */
	timeoutMs?: number;
};

/** Reads a publisher's outbox, for transports that store no events themselves. */
export type PublishedEvents = {
	/** Lists published events of these types since a time, after a position, in their order. */
	list(query: {
		types: readonly string[];
		since: Date;
		after: bigint;
		limit: number;
	}): Promise<Array<{ position: bigint; envelope: EventEnvelope }>>;
};

/**
 * Delivers events between services: at least once, and in order per subject if they are published in order.
 */
export type Transport = {
	/**
	 * Whether it connects processes. If not, no other process publishes or applies events of the same database.
	 */
	connectsProcesses: boolean;
	/** The recommended number of events to publish concurrently, of different subjects. */
	publishedAtOnce: number;
	/**
	 * Resolves when the event is stored safely. Throws TransportUnavailable if no event can be published now.
	 */
	publish(envelope: EventEnvelope): Promise<void>;
	/**
	 * Announces a relay's outbox before its first publication. Resolves when requested replays have read the
	 * outbox.
	 */
	announce(outbox: PublishedEvents): Promise<{ withdraw(): void }>;
	/** Starts delivery. `stop` ends it and waits for running deliveries. */
	subscribe(subscription: Subscription): Promise<{ stop(): Promise<void> }>;
	/**
	 * Delivers events to this process as they happen. Resolves when the observation is active, or immediately
	 * while the bus is unavailable: `onGap` follows then.
	 */
	observe(observation: Observation): Promise<{ stop(): Promise<void> }>;
	/**
	 * Counts the messages that a subscriber of this process has not stored yet, by stream. Throws
	 * TransportUnavailable, or the error of the bus.
	 */
	unread(consumer: string): Promise<readonly Unread[]>;
	/**
	 * Delivers the events from a time until now, in order, and resolves afterwards. Throws TransportUnavailable
	 * on failure.
	 */
	replaySince(replay: Replay): Promise<void>;
	/** Readiness check: rejects with TransportUnavailable if events cannot be published now. */
	check(): Promise<void>;
	/** Stops all subscriptions. Later publications are refused. */
	close(): Promise<void>;
};

/** No event can be published or read now. The cause is not the event; retry later. */
export class TransportUnavailable extends Error {
	override name = "TransportUnavailable";
}
