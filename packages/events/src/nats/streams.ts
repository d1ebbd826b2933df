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
	/** Servers that keep a copy of each event. */
	replicas: number;
	/** What a stream takes on disk at most; when it is full the oldest events go. */
	streamBytesMax: number;
};

const keepDays = 7;
/** A publication that was not acknowledged and comes again within this time is the same message; a later one the inbox knows. */
const duplicateMinutes = 10;

/** The stream as it is, for who reads it: made where there is none, and never changed. Throws the server's error. */
export async function ensureStream(
	jsm: JetStreamManager,
	name: string,
	settings: StreamSettings,
): Promise<StreamInfo> {
	return (await findStream(jsm, name)) ?? jsm.streams.add({ name, ...configOf(name, settings) });
}

/**
 * Makes the stream, or brings it up to the settings, for who publishes in it: no other may. It is never made smaller, for the oldest
 * events would go, read or not, nor kept by fewer servers; that is told, and left to an operator. Throws the server's error.
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
	`it may hold ${bytes < 0 ? "any number of" : bytes} bytes and NATS_STREAM_BYTES_MAX is ${streamBytesMax}: it is left as it is, for what was not read would go`;

const moreThan = (servers: number, { replicas }: StreamSettings) =>
	`${servers} servers keep it and NATS_REPLICAS is ${replicas}: it is left as it is, for a server that is lost would take it along`;

/** Undefined when there is none. */
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
		max_age: nanos(keepDays * 24 * 3_600_000),
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
