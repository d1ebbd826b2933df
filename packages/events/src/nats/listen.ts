import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { inFlightMax } from "./position.ts";

const heartbeatMs = 5_000;
const expiresMs = 15_000;

/**
 * Receives messages into a queue, bounded by the server's limit of unacknowledged messages. The server
 * delivers a message again if it waits too long: each is queued only once, and one that was stored meanwhile
 * is acknowledged.
 */
export async function listen(
	consumer: Consumer,
	{ end, storedUpTo }: { end: () => void; storedUpTo: () => number },
) {
	const waiting: JsMsg[] = [];
	let seen = 0;
	let wake = () => {};
	const messages = await consumer.consume({
		max_messages: inFlightMax,
		expires: expiresMs,
		idle_heartbeat: heartbeatMs,
		callback: (message) => {
			if (message.seq <= storedUpTo()) return message.ack();
			if (message.seq <= seen) return;
			seen = message.seq;
			waiting.push(message);
			wake();
		},
	});
	void watch(messages, end);
	return {
		queue: {
			take: (count: number) => waiting.splice(0, count),
			/** Resolves with true when the queue has messages, or with false when it is closed. */
			filled: (signal: AbortSignal) =>
				new Promise<boolean>((resolve) => {
					const look = () => {
						if (waiting.length === 0 && !signal.aborted) return;
						signal.removeEventListener("abort", look);
						resolve(!signal.aborted);
					};
					wake = look;
					signal.addEventListener("abort", look);
					look();
				}),
		},
		async close() {
			await messages.close();
		},
	};
}

/** Ends the reading when the consumer or its stream is deleted. It then starts again. */
async function watch(messages: ConsumerMessages, end: () => void): Promise<void> {
	const fatal = [
		"consumer_deleted",
		"consumer_not_found",
		"stream_not_found",
		"heartbeats_missed",
		"no_responders",
	];
	for await (const { type } of messages.status()) {
		if (fatal.includes(type)) end();
	}
	end();
}
