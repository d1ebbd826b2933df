import {
	type ConsumerInfo,
	JetStreamApiError,
	type JetStreamManager,
	type StreamInfo,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import type { Place } from "../transport.ts";

/** How many messages may be on their way to a consumer and not taken over yet. */
export const onTheWayMax = 512;
const ackWaitMs = 30_000;
const consumerNotFound = 10_014;
const inactiveMs = 30_000;

/**
 * Where to read on in a stream: after what was taken over, from the moment it is asked for again, or from the
 * beginning when this is another stream than the one that was read. `lost` is how many messages are gone that were never read.
 */
export async function findStart(
	jsm: JetStreamManager,
	{ config, created, state }: StreamInfo,
	{ sequence, streamMadeAt, replayFrom }: Place,
): Promise<{ sequence: number; lost: number }> {
	const isOther = streamMadeAt?.getTime() !== new Date(created).getTime() || sequence > state.last_seq;
	const wanted = replayFrom ? await sequenceBefore(jsm, config.name, replayFrom) : sequence;
	const start = isOther ? 0 : Math.min(wanted, sequence);
	const first = Math.max(state.first_seq - 1, 0);
	const isNews = start > 0 && replayFrom === undefined;
	return { sequence: Math.max(start, first), lost: isNews ? Math.max(first - start, 0) : 0 };
}

/** The last message before a moment: the server itself looks it up, for a consumer that begins there. */
async function sequenceBefore(jsm: JetStreamManager, stream: string, at: Date): Promise<number> {
	if (at.getTime() <= 0) return 0;
	const { name, delivered } = await addReader(jsm, stream, { since: at });
	await jsm.consumers.delete(stream, name);
	return delivered.stream_seq;
}

/** A reader for once, which the server forgets by itself: from a moment on, and of one type when it is said. */
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
 * The durable consumer that goes on after `sequence`. One that has delivered more is made anew: what was on its way when
 * its reader died would come only after `ack_wait`, and later messages before it.
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
		max_ack_pending: onTheWayMax,
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
