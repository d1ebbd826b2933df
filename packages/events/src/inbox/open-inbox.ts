import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";
import { Misfit } from "../check-event.ts";
import { readEnvelope } from "../envelope.ts";
import { pause } from "../pause.ts";
import type { At } from "../step.ts";
import { byStream } from "../stream.ts";
import type { Inbox, Message, OnError } from "../transport.ts";
import { uuidOf } from "../uuid-of.ts";
import { type Arrival, countFresh, keepArrivals } from "./deliveries.store.ts";
import { giveTurn, keepTurn, moveReading, takeTurn } from "./readings.store.ts";

export type InboxOptions = {
	consumer: string;
	/** All types of events that this process knows what to do about. */
	types: readonly string[];
	db: Database;
	now: () => Date;
	/** Told how many events there are to apply now. */
	onFresh: (count: number) => void;
	onError: OnError;
	at?: At | undefined;
};

/** A reader that does not say in this time that it stays has died, and another takes over. */
const staySeconds = 10;
/** Above this many events to apply no more are taken; they are safe where they are. */
const freshMax = 5_000;
const countEvery = 500;
const fullPauseMs = 200;
/** Of what is no event this much is kept, for whoever looks into it. */
const rawBytesMax = 16_384;
const reasonLengthMax = 500;

/** How a consuming service takes messages over: in its own database, so that the transport may forget them. */
export function openInbox({ consumer, types, db, now, onFresh, onError, at }: InboxOptions): Inbox {
	const holder = randomUUID();
	const ofStreams = byStream(types);
	const holding = (stream: string) => ({ consumer, stream, types: ofStreams.get(stream) ?? [], holder });
	let sinceCount = countEvery;
	return {
		async keep(messages, step) {
			at?.("messages fetched");
			const arrivals = messages.map((message) => toArrival(message, onError));
			const { isDone, fresh } = await keepArrivals(db, {
				consumer,
				arrivals,
				now: now(),
				step: step && { ...step, holder, staySeconds },
			});
			at?.("messages taken over");
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
		takeTurn: (stream, { isSure = false } = { isSure: false }) =>
			takeTurn(db, { ...holding(stream), staySeconds, isSure }),
		stay: (stream) => keepTurn(db, { ...holding(stream), staySeconds }),
		move: (stream, place, met) => moveReading(db, holding(stream), { ...place, met }),
		giveTurn: (stream) => giveTurn(db, { consumer, stream, holder }),
	};
}

/** An event, or a dead letter that holds nothing back: whose entity it was about nobody can say. */
function toArrival({ type, bytes, place }: Message, onError: OnError): Arrival {
	try {
		const { id, subject } = readEnvelope(bytes, type);
		return { eventId: id, type, subject, body: bytes, reason: undefined };
	} catch (error) {
		if (!(error instanceof Misfit)) throw error;
		onError(error, `take ${type}`);
		const body = bytes.subarray(0, rawBytesMax);
		return {
			eventId: uuidOf(place ?? bytes),
			type,
			subject: undefined,
			body,
			reason: shorten(error.message),
		};
	}
}

/** A reason as it is kept: bounded, and without what PostgreSQL keeps in no text. */
export const shorten = (reason: string) => reason.replaceAll("\0", "").slice(0, reasonLengthMax);
