import { PassThrough } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callOf } from "../request/call.ts";

/** An event of a stream (HTML standard, "Server-sent events"). `data` is sent as JSON. */
export type StreamEvent = { event: string; data: unknown; id?: string };

/** An open stream of events to one client. */
export type EventStream = {
	/** Sends an event. A client that reads too slowly is disconnected; it connects again by itself. */
	send(event: StreamEvent): void;
	/** Sends a comment, so that proxies and clients see that the connection works. */
	ping(): void;
	end(): void;
};

const unreadBytesMax = 64 * 1024;
const streamsKey = Symbol("streams");
type WithStreams = { [streamsKey]?: Set<PassThrough> };

/** Ends all streams before the server waits for requests in progress. */
export function installEventStreams(app: FastifyInstance): void {
	const streams = new Set<PassThrough>();
	(app as WithStreams)[streamsKey] = streams;
	app.addHook("preClose", (done) => {
		for (const stream of streams) stream.end();
		done();
	});
}

/**
 * Answers a request with a stream of events. It holds no slot of its tenant. `onEnd` is called once: when the
 * client leaves, when the stream is ended, and before the server stops.
 */
export function openEventStream(
	request: FastifyRequest,
	reply: FastifyReply,
	onEnd: () => void,
): EventStream {
	const streams = (request.server as WithStreams)[streamsKey];
	const stream = new PassThrough();
	streams?.add(stream);
	callOf(request).slot?.pause();
	stream.once("close", () => {
		streams?.delete(stream);
		onEnd();
	});
	reply.raw.once("close", () => stream.destroy());
	const write = (text: string) => {
		if (stream.writableEnded || stream.destroyed) return;
		stream.write(text);
		if (stream.writableLength + reply.raw.writableLength > unreadBytesMax) stream.destroy();
	};
	// Proxies must not collect the events (nginx).
	reply.header("x-accel-buffering", "no").type("text/event-stream; charset=utf-8").send(stream);
	return {
		send: ({ event, data, id }) =>
			write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
		ping: () => write(": ping\n\n"),
		end: () => void stream.end(),
	};
}
