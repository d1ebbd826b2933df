import {
	JetStreamApiError,
	type JetStreamManager,
	type StreamConfig,
	type StreamInfo,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import { wordsOf } from "../stream.ts";

export type StreamSettings = {
	/** Servers that keep a copy of each event. */
	replicas: number;
	/** What a stream takes on disk at most; when it is full the oldest events go. */
	streamBytesMax: number;
};

const keepDays = 7;
/** A publication that was not acknowledged and comes again within this time is the same message; a later one the inbox knows. */
const duplicateMinutes = 10;

/** The stream as it is, made or brought up to the settings first. Throws the server's error. */
export async function ensureStream(
	jsm: JetStreamManager,
	name: string,
	settings: StreamSettings,
): Promise<StreamInfo> {
	const wanted = configOf(name, settings);
	const found = await findStream(jsm, name);
	if (found === undefined) return jsm.streams.add({ name, ...wanted });
	return differs(found.config, wanted) ? jsm.streams.update(name, wanted) : found;
}

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
