import { readOrReport } from "../envelope.ts";
import { byStream } from "../stream.ts";
import { type Replay, TransportUnavailable } from "../transport.ts";
import type { Bus, Line } from "./connect.ts";
import { addReader } from "./position.ts";
import { findStream } from "./streams.ts";

const timeoutMsMost = 30_000;
const batchMax = 256;
const fetchMs = 5_000;

/**
 * Delivers the events of streams from a time up to their current end, in order. Throws TransportUnavailable
 * if this is not possible within the time limit.
 */
export async function replaySince(line: Line, replay: Replay): Promise<void> {
	const { timeoutMs = timeoutMsMost } = replay;
	const endAt = performance.now() + timeoutMs;
	const bus = await line.when(AbortSignal.timeout(timeoutMs));
	if (bus === undefined) throw new TransportUnavailable("the bus cannot be reached");
	try {
		for (const [stream, types] of byStream(replay.types)) {
			if ((await findStream(bus.jsm, stream)) === undefined) continue;
			await replayStream(bus, { ...replay, stream, types, endAt });
		}
	} catch (error) {
		if (error instanceof TransportUnavailable || !(error instanceof Error)) throw error;
		throw new TransportUnavailable(`the replay failed: ${error.message}`, { cause: error });
	}
}

type StreamReplay = Replay & { stream: string; endAt: number };

async function replayStream({ js, jsm }: Bus, replay: StreamReplay): Promise<void> {
	const { stream, types, since, deliver, onError, endAt } = replay;
	const [type] = types.length === 1 ? types : [];
	const { name, num_pending } = await addReader(jsm, stream, { since, type });
	const reader = await js.consumers.get(stream, name);
	let pending = num_pending;
	while (pending > 0) {
		if (performance.now() > endAt) throw new TransportUnavailable("the replay exceeds its time limit");
		for await (const message of await reader.fetch({
			max_messages: Math.min(pending, batchMax),
			expires: fetchMs,
		})) {
			pending = Math.min(pending - 1, message.info.pending);
			const { subject, data } = message;
			if (!types.includes(subject)) continue;
			const envelope = readOrReport(data, subject, onError);
			if (envelope !== undefined) await deliver(envelope);
		}
	}
	await reader.delete();
}
