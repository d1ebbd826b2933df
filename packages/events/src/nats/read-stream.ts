import type { JsMsg } from "@nats-io/jetstream";
import { pause } from "../pause.ts";
import type { Subscription } from "../transport.ts";
import type { Bus, Line } from "./connect.ts";
import { listen } from "./listen.ts";
import { ensureDurable, findStart } from "./position.ts";
import { ensureStream, type StreamSettings } from "./streams.ts";

export type Reading = {
	line: Line;
	stream: string;
	subscription: Subscription;
	settings: StreamSettings;
	signal: AbortSignal;
};

const leaseWaitMs = 1_000;
const renewEveryMs = 3_000;
const trouble = { first: 250, most: 5_000 };
const batchMax = 256;

/**
 * The sequence before which a missing message was searched. One search is enough; then the message is lost.
 */
type Known = { soughtAt: number | undefined };

/**
 * Reads a stream for a consumer until it is stopped: messages are stored in the order of the stream, then
 * acknowledged. One process at a time reads; another takes over when it stops or dies.
 */
export async function readStream(reading: Reading): Promise<void> {
	const { line, stream, subscription, signal } = reading;
	const { inbox, onError } = subscription;
	const known: Known = { soughtAt: undefined };
	let pauseMs = trouble.first;
	while (!signal.aborted) {
		const bus = await line.when(signal);
		if (bus === undefined) break;
		try {
			const hadLease = await readWithLease(bus, reading, known);
			pauseMs = trouble.first;
			if (!hadLease) await pause(leaseWaitMs, signal);
		} catch (error) {
			if (!signal.aborted) onError(error, `read ${stream}`);
			await pause(pauseMs, signal);
			pauseMs = Math.min(pauseMs * 2, trouble.most);
		}
	}
	try {
		await inbox.releaseLease(stream);
	} catch (error) {
		onError(error, `read ${stream}`);
	}
}

/**
 * Reads until the lease, the connection or the position is lost. Returns false if another process holds the
 * lease.
 */
async function readWithLease(bus: Bus, reading: Reading, known: Known): Promise<boolean> {
	const { stream, subscription, settings, signal } = reading;
	const { consumer, inbox } = subscription;
	const place = await inbox.acquireLease(stream);
	if (place === undefined) return false;
	const info = await ensureStream(bus.jsm, stream, settings);
	const { sequence, lost } = await findStart(bus.jsm, info, place);
	if (lost > 0) reportLost(reading, lost);
	const streamMadeAt = new Date(info.created);
	if (!(await inbox.move(stream, { sequence, streamMadeAt }, place.replayFrom))) return false;
	const isNew = known.soughtAt === sequence || place.replayFrom !== undefined;
	await ensureDurable(bus.jsm, stream, { name: consumer, sequence, isNew });
	if (signal.aborted) return true;
	await consume(bus, reading, { sequence, known });
	return true;
}

function reportLost({ stream, subscription: { onError, onLost } }: Reading, count: number): void {
	onError(new Error(`${count} messages were removed before they were read`), `read ${stream}`);
	onLost?.(stream, count);
}

type ReadState = { sequence: number; known: Known };

async function consume(bus: Bus, reading: Reading, state: ReadState): Promise<void> {
	const { line, stream, subscription, signal } = reading;
	const { inbox, onError, consumer: name } = subscription;
	const ending = new AbortController();
	const end = () => ending.abort();
	const forget = line.onChange(end);
	signal.addEventListener("abort", end);
	const renewal = setInterval(() => {
		inbox.renewLease(stream).then(
			(isMine) => isMine || end(),
			(error) => {
				onError(error, `read ${stream}`);
				end();
			},
		);
	}, renewEveryMs);
	try {
		const consumer = await bus.js.consumers.get(stream, name);
		const { queue, close } = await listen(consumer, { end, storedUpTo: () => state.sequence });
		try {
			if (signal.aborted) return;
			while (await queue.filled(ending.signal)) {
				await inbox.room(ending.signal);
				if (ending.signal.aborted || !(await storeBatch(queue.take(batchMax), reading, state))) return;
			}
		} finally {
			await close();
		}
	} finally {
		clearInterval(renewal);
		signal.removeEventListener("abort", end);
		forget();
	}
}

/**
 * Stores the messages that follow without a gap and acknowledges them. Returns false if the reading must
 * start again.
 */
async function storeBatch(batch: readonly JsMsg[], reading: Reading, state: ReadState): Promise<boolean> {
	const { stream, subscription } = reading;
	const { inbox, types, at } = subscription;
	const from = state.sequence;
	const { next, to, missing, isWhole } = follow(batch, state);
	if (missing > 0) reportLost(reading, missing);
	if (to > from) {
		const wanted = next.filter(({ subject }) => types.includes(subject));
		const messages = wanted.map((message) => ({
			type: message.subject,
			bytes: message.data,
			// The timestamp distinguishes it from a message with the same sequence in a stream that was created
			// again.
			place: `${stream} ${message.seq} ${message.timestampNanos}`,
		}));
		if (!(await inbox.keep(messages, { stream, from, to }))) return false;
		state.sequence = to;
	}
	for (const message of batch) if (message.seq <= to) message.ack();
	at?.("messages acknowledged");
	if (!isWhole) state.known.soughtAt = to;
	return isWhole;
}

/**
 * Returns the messages that follow the position up to a gap. Earlier messages were stored, but their
 * acknowledgement was lost.
 */
function follow(batch: readonly JsMsg[], { sequence, known }: ReadState) {
	const next: JsMsg[] = [];
	let to = sequence;
	let missing = 0;
	for (const message of batch) {
		if (message.seq <= to) continue;
		if (message.seq > to + 1 && known.soughtAt !== to) return { next, to, missing, isWhole: false };
		missing += message.seq - to - 1;
		to = message.seq;
		next.push(message);
	}
	return { next, to, missing, isWhole: true };
}
