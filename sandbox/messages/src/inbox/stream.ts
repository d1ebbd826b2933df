import type { FastifyReply, FastifyRequest } from "fastify";
import type { Records } from "../record/records.ts";
import { toListItem } from "../record/wire.ts";

const commentEveryMs = 20_000;
/** A reader that does not keep up is disconnected; the browser connects again and reads the list. */
const bufferedBytesMax = 1024 * 1024;

/**
 * Server-sent events (HTML §9.2): `arrival` and `change` with a list item, `cleared`. The stream ends when the
 * reader leaves.
 */
export function streamChanges(records: Records, request: FastifyRequest, reply: FastifyReply): void {
	const { raw } = reply;
	const unsubscribe = records.subscribe((change) => {
		if (raw.writableLength > bufferedBytesMax) return void raw.destroy();
		const data = change.type === "cleared" ? {} : toListItem(change.arrival);
		raw.write(`event: ${change.type}\ndata: ${JSON.stringify(data)}\n\n`);
	});
	reply.hijack();
	raw.writeHead(200, {
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-store",
		"x-accel-buffering": "no",
	});
	raw.write("retry: 1000\n\n");
	const timer = setInterval(() => raw.write(": still open\n\n"), commentEveryMs);
	request.raw.once("close", () => {
		clearInterval(timer);
		unsubscribe();
	});
}
