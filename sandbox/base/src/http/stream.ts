import type { FastifyReply, FastifyRequest } from "fastify";

const commentEveryMs = 20_000;
/** A reader that does not keep up is disconnected; the browser connects again and reads everything. */
const bufferedBytesMax = 1024 * 1024;

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/**
 * Answers with server-sent events (HTML §9.2). `subscribe` gets the function that sends an event, and returns
 * the one that ends the subscription when the reader leaves.
 */
export function openStream(
	{ request, reply }: Exchange,
	subscribe: (send: (event: string, data: object) => void) => () => void,
): void {
	const { raw } = reply;
	const unsubscribe = subscribe((event, data) => {
		if (raw.writableLength > bufferedBytesMax) return void raw.destroy();
		raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
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
