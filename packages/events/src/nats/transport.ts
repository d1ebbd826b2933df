import { JetStreamApiError } from "@nats-io/jetstream";
import { InvalidArgumentError } from "@nats-io/nats-core";
import { readOrReport, toBytes } from "../envelope.ts";
import { byStream, streamOf } from "../stream.ts";
import type { Observation, OnError, Subscription, Transport } from "../transport.ts";
import { TransportUnavailable } from "../transport.ts";
import { type Bus, keepConnected, type Line } from "./connect.ts";
import { readStream } from "./read-stream.ts";
import { replaySince } from "./replay.ts";
import { type StreamSettings, settleStream } from "./streams.ts";
import { countUnread } from "./unread.ts";

export type NatsOptions = Partial<StreamSettings> & {
	/**
	 * One or more URLs `nats://host:4222`, separated by commas, with user and password if the server requires
	 * them.
	 */
	url: string;
	/** The client name shown by the server's monitoring. */
	name: string;
	onError: OnError;
};

const publishTimeoutMs = 5_000;
/** The server reserves this much disk space for each stream. */
const streamBytesDefault = 512 * 2 ** 20;

/**
 * Delivers events over NATS JetStream, 2.9 or later. It can be created while the server is unavailable:
 * publishing then throws TransportUnavailable, everything else waits. Throws an Error if the URL is invalid.
 */
export function natsTransport({
	url,
	name,
	onError,
	replicas = 1,
	streamBytesMax = streamBytesDefault,
}: NatsOptions): Transport {
	const line = keepConnected(url, { name: `lango-${name}`, onError });
	const settings = { replicas, streamBytesMax };
	const stops = new Set<() => Promise<void>>();
	const subscribed = new Map<string, readonly string[]>();
	let isClosed = false;
	const assertOpen = () => {
		if (isClosed) throw new Error("the transport is closed");
	};
	const stopping = (stop: () => Promise<void>) => {
		const once = async () => {
			if (stops.delete(once)) await stop();
		};
		stops.add(once);
		return { stop: once };
	};
	const publish = publisher(line, { settings, onError });

	return {
		connectsProcesses: true,
		publishedAtOnce: 256,
		async publish(envelope) {
			assertOpen();
			await publish(envelope.type, { id: envelope.id, bytes: toBytes(envelope) });
		},
		announce: async () => ({ withdraw: () => undefined }),
		async subscribe(subscription) {
			assertOpen();
			const { consumer } = subscription;
			if (!/^[a-z][a-z0-9_-]*$/.test(consumer)) throw new Error(`"${consumer}" is not a valid consumer name`);
			if (subscribed.has(consumer)) throw new Error(`the consumer "${consumer}" is subscribed already`);
			subscribed.set(consumer, subscription.types);
			const reading = read(line, subscription, settings);
			return stopping(async () => {
				await reading.stop();
				subscribed.delete(consumer);
			});
		},
		async observe(observation) {
			assertOpen();
			return stopping(await observe(line, observation));
		},
		unread: (consumer) => countUnread(line, { consumer, types: subscribed.get(consumer) ?? [] }),
		replaySince: (replay) => replaySince(line, replay),
		async check() {
			assertOpen();
			await reach(line.get());
		},
		async close() {
			isClosed = true;
			await Promise.all([...stops].map((stop) => stop()));
			await line.close();
		},
	};
}

function read(line: Line, subscription: Subscription, settings: StreamSettings) {
	const stopping = new AbortController();
	const { signal } = stopping;
	const streams = [...byStream(subscription.types).keys()];
	const readings = streams.map((stream) => readStream({ line, stream, subscription, settings, signal }));
	return {
		async stop() {
			stopping.abort();
			await Promise.all(readings);
		},
	};
}

/** Publishes with the event's id as the message id, so that the server detects duplicates. */
function publisher(line: Line, how: { settings: StreamSettings; onError: OnError }) {
	let ensured = new Map<string, Promise<unknown>>();
	line.onChange(() => {
		ensured = new Map();
	});
	return async (type: string, { id, bytes }: { id: string; bytes: Uint8Array }): Promise<void> => {
		const stream = streamOf(type);
		const { js, jsm } = line.get();
		try {
			const known = ensured.get(stream) ?? settleStream(jsm, stream, how);
			ensured.set(stream, known);
			await known;
			await js.publish(type, bytes, {
				msgID: id,
				timeout: publishTimeoutMs,
				expect: { streamName: stream },
			});
		} catch (error) {
			ensured.delete(stream);
			// An error response concerns this event or this stream. No response means that the bus is unavailable.
			if (error instanceof JetStreamApiError || error instanceof InvalidArgumentError) throw error;
			throw new TransportUnavailable(`the bus did not store ${type}`, { cause: error });
		}
	};
}

/**
 * Observes events with plain subscriptions. Nothing is stored for absent observers, so each reconnect is a
 * gap.
 */
async function observe(
	line: Line,
	{ types, deliver, onGap, onError }: Observation,
): Promise<() => Promise<void>> {
	const receive = (type: string, data: Uint8Array) => {
		const envelope = readOrReport(data, type, onError);
		if (envelope !== undefined) deliver(envelope);
	};
	let subscribedOn: Bus["nc"] | undefined;
	let received: Array<{ unsubscribe(): void }> = [];
	const listen = async (): Promise<void> => {
		const { nc } = line.get();
		if (subscribedOn !== nc) {
			subscribedOn = nc;
			received = types.map((type) =>
				nc.subscribe(type, {
					callback: (error, { subject, data }) => {
						if (error) onError(error, `observe ${type}`);
						else receive(subject, data);
					},
				}),
			);
		}
		await nc.flush();
	};
	const back = () =>
		listen().then(onGap, (error) => {
			if (!(error instanceof TransportUnavailable)) onError(error, "observe");
		});
	const forget = line.onChange((isUp) => {
		if (isUp) void back();
	});
	await listen().catch((error) => {
		if (!(error instanceof TransportUnavailable)) throw error;
	});
	return async () => {
		forget();
		if (subscribedOn?.isClosed() === false) for (const one of received) one.unsubscribe();
	};
}

async function reach({ nc }: Bus): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new TransportUnavailable("the bus does not answer")), publishTimeoutMs);
	});
	try {
		await Promise.race([nc.flush(), late]);
	} catch (error) {
		if (error instanceof TransportUnavailable) throw error;
		throw new TransportUnavailable("the bus cannot be reached", { cause: error });
	} finally {
		clearTimeout(timer);
	}
}
