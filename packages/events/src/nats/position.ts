import {
	type ConsumerInfo,
	JetStreamApiError,
	type JetStreamManager,
	type StreamInfo,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import type { ReadPosition } from "../transport.ts";

/** The maximum number of delivered messages that are not stored yet. */
export const inFlightMax = 512;
const ackWaitMs = 30_000;
const consumerNotFound = 10_014;
const inactiveMs = 30_000;

/**
 * Determines where to continue reading a stream: after the stored position, from the time of a requested
 * replay, or from the beginning if the stream was created again. `lost` is the number of messages that were
 * removed before they were read.
 */
export async function findStart(
	jsm: JetStreamManager,
	{ config, created, state }: StreamInfo,
	{ sequence, streamMadeAt, replayFrom }: ReadPosition,
): Promise<{ sequence: number; lost: number }> {
	const isOther = streamMadeAt?.getTime() !== new Date(created).getTime() || sequence > state.last_seq;
	const wanted = replayFrom ? await sequenceBefore(jsm, config.name, replayFrom) : sequence;
	const start = isOther ? 0 : Math.min(wanted, sequence);
	const first = Math.max(state.first_seq - 1, 0);
	const isNews = start > 0 && replayFrom === undefined;
	return { sequence: Math.max(start, first), lost: isNews ? Math.max(first - start, 0) : 0 };
}

/** The sequence of the last message before a time, looked up by the server with a temporary consumer. */
async function sequenceBefore(jsm: JetStreamManager, stream: string, at: Date): Promise<number> {
	if (at.getTime() <= 0) return 0;
	const { name, delivered } = await addReader(jsm, stream, { since: at });
	await jsm.consumers.delete(stream, name);
	return delivered.stream_seq;
}

/** Creates a temporary consumer from a time on, optionally of one type. The server removes it by itself. */
export function addReader(
	jsm: JetStreamManager,
	stream: string,
	{ since, type }: { since: Date; type?: string | undefined },
): Promise<ConsumerInfo> {
	return jsm.consumers.add(stream, {
		deliver_policy: "by_start_time",
		opt_start_time: since.toISOString(),
		ack_policy: "none",
		replay_policy: "instant",
		mem_storage: true,
		inactive_threshold: nanos(inactiveMs),
		...(type !== undefined && { filter_subject: type }),
	});
}

/**
 * Ensures a durable consumer that continues after `sequence`. If it has delivered more already, it is created
 * again: the messages in flight of a dead reader would be delivered again only after `ack_wait`, and later
 * messages before them.
 */
export async function ensureDurable(
	jsm: JetStreamManager,
	stream: string,
	{ name, sequence, isNew }: { name: string; sequence: number; isNew: boolean },
): Promise<void> {
	const found = await findConsumer(jsm, stream, name);
	if (found !== undefined && !isNew && found.delivered.stream_seq === sequence) return;
	if (found !== undefined) await jsm.consumers.delete(stream, name);
	await jsm.consumers.add(stream, {
		durable_name: name,
		deliver_policy: "by_start_sequence",
		opt_start_seq: sequence + 1,
		ack_policy: "explicit",
		ack_wait: nanos(ackWaitMs),
		max_ack_pending: inFlightMax,
		replay_policy: "instant",
	});
}

export async function findConsumer(
	jsm: JetStreamManager,
	stream: string,
	name: string,
): Promise<ConsumerInfo | undefined> {
	try {
		return await jsm.consumers.info(stream, name);
	} catch (error) {
		if (error instanceof JetStreamApiError && error.code === consumerNotFound) return undefined;
		throw error;
	}
}
