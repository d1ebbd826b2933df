import type { ConsumerInfo, JetStreamManager } from "@nats-io/jetstream";
import { byStream } from "../stream.ts";
import type { Unread } from "../transport.ts";
import type { Line } from "./connect.ts";
import { findConsumer } from "./position.ts";
import { findStream } from "./streams.ts";

/**
 * Counts the messages that a consumer has not acknowledged, per stream. Messages in the memory of a reader
 * count as unread. Sends at most three requests per stream. Throws TransportUnavailable, or the server's
 * error.
 */
export async function countUnread(
	line: Line,
	{ consumer, types }: { consumer: string; types: readonly string[] },
): Promise<readonly Unread[]> {
	const { jsm } = line.get();
	return Promise.all([...byStream(types).keys()].map((stream) => countOf(jsm, stream, consumer)));
}

async function countOf(jsm: JetStreamManager, stream: string, consumer: string): Promise<Unread> {
	const none = { stream, messages: 0, seconds: 0 };
	const info = await findStream(jsm, stream);
	if (info === undefined) return none;
	const reader = await findConsumer(jsm, stream, consumer);
	const messages = reader ? reader.num_pending + reader.num_ack_pending : info.state.messages;
	if (messages === 0) return none;
	const first = Math.max(reader ? firstUnread(reader) : 1, info.state.first_seq);
	// The next message of any subject. The server supports this since 2.9, but the library's type does not.
	const from = { seq: first, next_by_subj: ">" };
	const oldest = await jsm.streams.getMessage(stream, from);
	const seconds = oldest === null ? 0 : (Date.now() - oldest.time.getTime()) / 1_000;
	return { stream, messages, seconds: Math.max(seconds, 0) };
}

/** The server counts acknowledgements without a gap, from 0 even for a consumer that started later. */
function firstUnread({ ack_floor, delivered, num_ack_pending, config }: ConsumerInfo): number {
	if (num_ack_pending === 0) return delivered.stream_seq + 1;
	return Math.max(ack_floor.stream_seq + 1, config.opt_start_seq ?? 1);
}
