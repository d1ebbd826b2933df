import type { EventEnvelope } from "@lango/contracts";
import type { At } from "./step.ts";

/** What a transport delivers: the bytes of an event, not looked at yet, under the type they were published as. */
export type Message = {
	type: string;
	bytes: Uint8Array;
	/** What no other message has, however often this one is delivered; without it two of the same bytes are one. */
	place?: string;
};

/** Where a consumer stands in a stream. */
export type Place = {
	/** The last message it has taken over; 0 before the first. */
	sequence: number;
	/** When the stream was made that `sequence` counts in. */
	streamMadeAt: Date | undefined;
	/** Read again what came since then; the beginning of time is the beginning of the stream. */
	replayFrom: Date | undefined;
};

/** A step in a stream: messages up to `to` are taken over, if the consumer still stands at `from`. */
type Step = { stream: string; from: number; to: number };

/**
 * How a consuming service takes messages over. One process at a time has the turn at a stream, for some seconds unless
 * it says that it stays; what one does without having the turn any more is refused.
 */
export type Inbox = {
	/**
	 * Takes messages over, in their order: after that they are never needed again. False, and nothing is taken over,
	 * when the step cannot be done: the turn is another's, or the consumer was moved. Throws when the database does.
	 */
	keep(messages: readonly Message[], step?: Step): Promise<boolean>;
	/** Resolves when there is room for more. */
	room(signal?: AbortSignal): Promise<void>;
	/** Where to read on; undefined while another process has the turn, unless it is sure that there is no other. */
	takeTurn(stream: string, options?: { isSure: boolean }): Promise<Place | undefined>;
	/** Whether the turn is still ours, now for some seconds more, and nobody asked to read again. */
	stay(stream: string): Promise<boolean>;
	/** Notes where to read from, and with it that the wish to read again is met; false when another wish was made meanwhile. */
	move(stream: string, place: Omit<Place, "replayFrom">, met: Date | undefined): Promise<boolean>;
	giveTurn(stream: string): Promise<void>;
};

/** What one consuming service wants delivered. */
export type Subscription = {
	/** The name under which deliveries are counted: two subscribers of one name are one consumer. */
	consumer: string;
	types: readonly string[];
	inbox: Inbox;
	now: () => Date;
	onError: OnError;
	/** Told how many messages of a stream were removed before they were read. */
	onLost?: OnLost | undefined;
	at?: At | undefined;
};

export type OnLost = (stream: string, messages: number) => void;

/** What a consumer has not taken over of a stream yet, and how long the oldest of it has been there; 0 when there is none. */
export type Unread = { stream: string; messages: number; seconds: number };

/** Told of what went wrong and what it was about; it must not throw. */
export type OnError = (error: unknown, about: string) => void;

/** What a process wants to hear of, as it happens and only while it listens. */
export type Observation = {
	types: readonly string[];
	/** Must not throw, and is quick: it forgets what it held. */
	deliver: (envelope: EventEnvelope) => void;
	/** Something may have been missed: what is held is dropped. Called when it is heard again from then on. */
	onGap: () => void;
	onError: OnError;
};

export type Replay = {
	types: readonly string[];
	since: Date;
	deliver: (envelope: EventEnvelope) => void | Promise<void>;
	onError: OnError;
	/** How long it may take before it rejects; 30 s unless said otherwise. */
	timeoutMs?: number;
};

/** What a transport without a memory of its own asks for what was told before. */
export type Told = {
	/** Published events of these types since a moment, after a position and in their order. */
	list(wish: {
		types: readonly string[];
		since: Date;
		after: bigint;
		limit: number;
	}): Promise<Array<{ position: bigint; envelope: EventEnvelope }>>;
};

/** What carries events between services: at least once, and in order per subject when they are published in order. */
export type Transport = {
	/** How many events of different subjects are best published at the same time. */
	publishedAtOnce: number;
	/** Resolves when the event cannot get lost any more. Throws TransportUnavailable when no event could be published now. */
	publish(envelope: EventEnvelope): Promise<void>;
	/** A relay says that it is about to publish; resolves when who reads again has read what it told before. */
	announce(told: Told): Promise<{ withdraw(): void }>;
	/** Starts delivering; `stop` takes no more and waits for what is under way. */
	subscribe(subscription: Subscription): Promise<{ stop(): Promise<void> }>;
	/** Tells this process of events as they happen. Resolves when it is heard; while the bus is away, too: `onGap` follows. */
	observe(observation: Observation): Promise<{ stop(): Promise<void> }>;
	/** What a subscriber of this process has not taken over yet, by stream. Throws TransportUnavailable, or what the bus says. */
	unread(consumer: string): Promise<readonly Unread[]>;
	/** Delivers what was told since a moment until now, in order, and resolves then. Throws TransportUnavailable when it cannot. */
	replaySince(replay: Replay): Promise<void>;
	/** Resolves when events can be carried now, rejects with TransportUnavailable otherwise. For readiness. */
	check(): Promise<void>;
	/** Stops all subscriptions. Publishing is refused from then on. */
	close(): Promise<void>;
};

/** Nothing can be carried now, whatever it is: there is no fault in the event. */
export class TransportUnavailable extends Error {
	override name = "TransportUnavailable";
}
