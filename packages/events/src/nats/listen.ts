import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import { onTheWayMax } from "./place.ts";

const heartbeatMs = 5_000;
const expiresMs = 15_000;

/**
 * Has messages come into a queue; what they need to be acknowledged bounds how many there are. One that waits too long comes
 * again, and again: each is queued once, and one that was taken over meanwhile is acknowledged.
 */
export async function listen(
	consumer: Consumer,
	{ end, takenOver }: { end: () => void; takenOver: () => number },
) {
	const waiting: JsMsg[] = [];
	let seen = 0;
	let wake = () => {};
	const messages = await consumer.consume({
		max_messages: onTheWayMax,
		expires: expiresMs,
		idle_heartbeat: heartbeatMs,
		callback: (message) => {
			if (message.seq <= takenOver()) return message.ack();
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
			/** Resolves when there is something, or false when there never will be. */
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

/** The consumer or its stream may be taken away under our hands; then the reading begins anew. */
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
