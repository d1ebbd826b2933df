import {
	JetStreamApiError,
	type JetStreamManager,
	type StreamConfig,
	type StreamInfo,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import { wordsOf } from "../stream.ts";
import type { OnError } from "../transport.ts";

export type StreamSettings = {
	/** The number of servers that store each event. */
	replicas: number;
	/** The maximum size of a stream on disk. When it is full, the oldest events are removed. */
	streamBytesMax: number;
};

const keepDays = 7;
/** The streams that keep events for another number of days. `isp.*` events hold passwords. */
const keepDaysOf: Readonly<Record<string, number>> = { ISP: 1 };
/**
 * A publication that is repeated within this time is detected by the server; later duplicates by the inbox.
 */
const duplicateMinutes = 10;

/**
 * Returns the stream for a reader: creates it if it does not exist, and never changes it. Throws the server's
 * error.
 */
export async function ensureStream(
	jsm: JetStreamManager,
	name: string,
	settings: StreamSettings,
): Promise<StreamInfo> {
	return (await findStream(jsm, name)) ?? jsm.streams.add({ name, ...configOf(name, settings) });
}

/**
 * Creates the stream or updates it to the settings of the publisher. Readers never change it. It is never
 * made smaller, because unread events would be removed, nor stored by fewer servers; such differences are
 * reported and left to an operator. Throws the server's error.
 */
export async function settleStream(
	jsm: JetStreamManager,
	name: string,
	{ settings, onError }: { settings: StreamSettings; onError: OnError },
): Promise<void> {
	const found = await findStream(jsm, name);
	if (found === undefined) return void (await jsm.streams.add({ name, ...configOf(name, settings) }));
	const { max_bytes, num_replicas } = found.config;
	const isSmaller = max_bytes < 0 || settings.streamBytesMax < max_bytes;
	if (isSmaller) onError(new Error(tooLargeFor(max_bytes, settings)), `the stream ${name}`);
	const isFewer = settings.replicas < num_replicas;
	if (isFewer) onError(new Error(moreThan(num_replicas, settings)), `the stream ${name}`);
	const kept = { ...(isSmaller && { max_bytes }), ...(isFewer && { num_replicas }) };
	const wanted = { ...configOf(name, settings), ...kept };
	if (differs(found.config, wanted)) await jsm.streams.update(name, wanted);
}

const tooLargeFor = (bytes: number, { streamBytesMax }: StreamSettings) =>
	`the limit is ${bytes < 0 ? "unlimited" : `${bytes} bytes`} and NATS_STREAM_BYTES_MAX is ${streamBytesMax}: not reduced, because unread events would be removed`;

const moreThan = (servers: number, { replicas }: StreamSettings) =>
	`the stream has ${servers} replicas and NATS_REPLICAS is ${replicas}: not reduced, because events could be lost with a server`;

/** Returns undefined if the stream does not exist. */
export async function findStream(jsm: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
	try {
		return await jsm.streams.info(name);
	} catch (error) {
		if (isNotFound(error)) return undefined;
		throw error;
	}
}

const streamNotFound = 10_059;
const isNotFound = (error: unknown) => error instanceof JetStreamApiError && error.code === streamNotFound;

type Wanted = Pick<
	StreamConfig,
	| "subjects"
	| "num_replicas"
	| "max_age"
	| "max_bytes"
	| "duplicate_window"
	| "discard"
	| "storage"
	| "retention"
>;

function configOf(name: string, { replicas, streamBytesMax }: StreamSettings): Wanted {
	return {
		subjects: wordsOf(name).map((word) => `${word}.>`),
		storage: "file",
		retention: "limits",
		discard: "old",
		num_replicas: replicas,
		max_age: nanos((keepDaysOf[name] ?? keepDays) * 24 * 3_600_000),
		max_bytes: streamBytesMax,
		duplicate_window: nanos(duplicateMinutes * 60_000),
	};
}

const differs = (found: StreamConfig, wanted: Wanted) =>
	found.num_replicas !== wanted.num_replicas ||
	found.max_age !== wanted.max_age ||
	found.max_bytes !== wanted.max_bytes ||
	found.duplicate_window !== wanted.duplicate_window ||
	found.subjects.toSorted().join() !== wanted.subjects.toSorted().join();
