import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { InvalidEvent } from "../check-event.ts";
import { readEnvelope, toBytes } from "../envelope.ts";
import { pause } from "../pause.ts";
import { type SensitiveMembers, sealEvent, sealMessage } from "../sensitive.ts";
import type { At } from "../step.ts";
import { byStream } from "../stream.ts";
import type { Inbox, Message, OnError } from "../transport.ts";
import { uuidOf } from "../uuid-of.ts";
import { type Arrival, countFresh, keepArrivals } from "./deliveries.store.ts";
import { acquireLease, isReplayRequested, moveReading, releaseLease, renewLease } from "./readings.store.ts";

export type InboxOptions = {
	consumer: string;
	/** All event types that this process can apply. */
	types: readonly string[];
	/** The members that are encrypted before they are stored. */
	sensitive: SensitiveMembers;
	keys: KeyEncryptionKeys;
	db: Database;
	now: () => Date;
	/** Called with the number of new events that can be applied now. */
	onFresh: (count: number) => void;
	onError: OnError;
	at?: At | undefined;
};

/** A reader that does not renew its lease for this long is considered dead. */
const leaseSeconds = 10;
/** Above this number of unapplied events no more messages are stored; they stay in the stream. */
const freshMax = 5_000;
const countEvery = 500;
const fullPauseMs = 200;
/** The bytes of an unreadable message that are kept for inspection. */
const rawBytesMax = 16_384;
const reasonLengthMax = 500;

/**
 * Creates the inbox of a consuming service. Messages are stored in its own database, so the transport may
 * delete them.
 */
export function openInbox(options: InboxOptions): Inbox {
	const { consumer, types, db, now, onFresh, at } = options;
	const holder = randomUUID();
	const ofStreams = byStream(types);
	const leaseOf = (stream: string) => ({ consumer, stream, types: ofStreams.get(stream) ?? [], holder });
	let sinceCount = countEvery;
	return {
		async keep(messages, step) {
			at?.("messages fetched");
			const arrivals = messages.map((message) => toArrival(message, options));
			const { isDone, fresh } = await keepArrivals(db, {
				consumer,
				arrivals,
				now: now(),
				step: step && { ...step, holder, leaseSeconds },
			});
			at?.("messages stored");
			sinceCount += fresh;
			if (fresh > 0) onFresh(fresh);
			return isDone;
		},
		async room(signal) {
			while (sinceCount >= countEvery && !signal?.aborted) {
				if ((await countFresh(db, { consumer, max: freshMax })) < freshMax) sinceCount = 0;
				else await pause(fullPauseMs, signal);
			}
		},
		acquireLease: (stream, { isSure = false } = { isSure: false }) =>
			acquireLease(db, { ...leaseOf(stream), leaseSeconds, isSure }),
		renewLease: (stream) => renewLease(db, { ...leaseOf(stream), leaseSeconds }),
		move: (stream, place, met) => moveReading(db, leaseOf(stream), { ...place, met }),
		releaseLease: (stream) => releaseLease(db, { consumer, stream, holder }),
		isReplayRequested: () => isReplayRequested(db, consumer),
	};
}

/**
 * Parses a message. An unreadable one becomes a dead letter that blocks no other, because its entity is
 * unknown.
 */
function toArrival(
	{ type, bytes, place }: Message,
	{ sensitive, keys, onError }: Pick<InboxOptions, "sensitive" | "keys" | "onError">,
): Arrival {
	const names = sensitive.get(type);
	try {
		const envelope = readEnvelope(bytes, type);
		const { id, subject } = envelope;
		const body = names === undefined ? bytes : toBytes(sealEvent(envelope, { names, keys }));
		return { eventId: id, type, subject, body, reason: undefined };
	} catch (error) {
		if (!(error instanceof InvalidEvent)) throw error;
		onError(error, `take ${type}`);
		const eventId = uuidOf(place ?? bytes);
		const body = bytes.subarray(0, rawBytesMax);
		return {
			eventId,
			type,
			subject: undefined,
			body: names === undefined ? body : sealMessage(body, { id: eventId, keys }),
			reason: shorten(error.message),
		};
	}
}

/** Truncates an error message and removes the character that PostgreSQL cannot store. */
export const shorten = (reason: string) => reason.replaceAll("\0", "").slice(0, reasonLengthMax);
