import type { JsMsg } from "@nats-io/jetstream";
import { pause } from "../pause.ts";
import type { Subscription } from "../transport.ts";
import type { Bus, Line } from "./connect.ts";
import { listen } from "./listen.ts";
import { ensureDurable, findStart } from "./place.ts";
import { ensureStream, type StreamSettings } from "./streams.ts";

export type Reading = {
	line: Line;
	stream: string;
	subscription: Subscription;
	settings: StreamSettings;
	signal: AbortSignal;
};

const turnWaitMs = 1_000;
const stayEveryMs = 3_000;
const trouble = { first: 250, most: 5_000 };
const batchMax = 256;

/** Where a message that is missing was looked for: once for each place is enough, then it is gone. */
type Known = { soughtAt: number | undefined };

/**
 * Reads a stream for a consumer until it is stopped: what comes is taken over in the order of the stream, then acknowledged.
 * One process at a time does; another takes its turn when that one stops or dies.
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
			const hadTurn = await readWhileMine(bus, reading, known);
			pauseMs = trouble.first;
			if (!hadTurn) await pause(turnWaitMs, signal);
		} catch (error) {
			if (!signal.aborted) onError(error, `read ${stream}`);
			await pause(pauseMs, signal);
			pauseMs = Math.min(pauseMs * 2, trouble.most);
		}
	}
	try {
		await inbox.giveTurn(stream);
	} catch (error) {
		onError(error, `read ${stream}`);
	}
}

/** Reads until the turn, the connection or the place is lost; false when it is another's turn. */
async function readWhileMine(bus: Bus, reading: Reading, known: Known): Promise<boolean> {
	const { stream, subscription, settings, signal } = reading;
	const { consumer, inbox } = subscription;
	const place = await inbox.takeTurn(stream);
	if (place === undefined) return false;
	const info = await ensureStream(bus.jsm, stream, settings);
	const { sequence, lost } = await findStart(bus.jsm, info, place);
	if (lost > 0) tellLost(reading, lost);
	const streamMadeAt = new Date(info.created);
	if (!(await inbox.move(stream, { sequence, streamMadeAt }, place.replayFrom))) return false;
	const isNew = known.soughtAt === sequence || place.replayFrom !== undefined;
	await ensureDurable(bus.jsm, stream, { name: consumer, sequence, isNew });
	if (signal.aborted) return true;
	await consume(bus, reading, { sequence, known });
	return true;
}

function tellLost({ stream, subscription: { onError, onLost } }: Reading, count: number): void {
	onError(new Error(`${count} messages were removed before they were read`), `read ${stream}`);
	onLost?.(stream, count);
}

type Standing = { sequence: number; known: Known };

async function consume(bus: Bus, reading: Reading, standing: Standing): Promise<void> {
	const { line, stream, subscription, signal } = reading;
	const { inbox, onError, consumer: name } = subscription;
	const ending = new AbortController();
	const end = () => ending.abort();
	const forget = line.onChange(end);
	signal.addEventListener("abort", end);
	const staying = setInterval(() => {
		inbox.stay(stream).then(
			(isMine) => isMine || end(),
			(error) => {
				onError(error, `read ${stream}`);
				end();
			},
		);
	}, stayEveryMs);
	try {
		const consumer = await bus.js.consumers.get(stream, name);
		const { queue, close } = await listen(consumer, { end, takenOver: () => standing.sequence });
		try {
			if (signal.aborted) return;
			while (await queue.filled(ending.signal)) {
				await inbox.room(ending.signal);
				if (ending.signal.aborted || !(await takeOver(queue.take(batchMax), reading, standing))) return;
			}
		} finally {
			await close();
		}
	} finally {
		clearInterval(staying);
		signal.removeEventListener("abort", end);
		forget();
	}
}

/** Takes over what follows without a gap, and acknowledges it; false when the reading cannot go on from here. */
async function takeOver(batch: readonly JsMsg[], reading: Reading, standing: Standing): Promise<boolean> {
	const { stream, subscription } = reading;
	const { inbox, types, at } = subscription;
	const from = standing.sequence;
	const { next, to, missing, isWhole } = follow(batch, standing);
	if (missing > 0) tellLost(reading, missing);
	if (to > from) {
		const wanted = next.filter(({ subject }) => types.includes(subject));
		const messages = wanted.map((message) => ({
			type: message.subject,
			bytes: message.data,
			// By the time of its storing it is told from one at the same place of another stream.
			place: `${stream} ${message.seq} ${message.timestampNanos}`,
		}));
		if (!(await inbox.keep(messages, { stream, from, to }))) return false;
		standing.sequence = to;
	}
	for (const message of batch) if (message.seq <= to) message.ack();
	at?.("messages acknowledged");
	if (!isWhole) standing.known.soughtAt = to;
	return isWhole;
}

/** What follows on where we stand, up to a gap. What lies before was taken over, and its acknowledgement was lost. */
function follow(batch: readonly JsMsg[], { sequence, known }: Standing) {
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
