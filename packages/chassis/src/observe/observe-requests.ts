import type { FastifyInstance, FastifyReply } from "fastify";
import { addressOf, isOperation, type Step } from "../request/route.ts";
import { loggedPath } from "./logged-path.ts";
import type { Logger } from "./observe.ts";
import type { RequestDurations } from "./request-durations.ts";
import { traceIdOf } from "./trace-requests.ts";

/** By default a response cannot be framed and cannot load anything; a route can set other values. */
const securityHeaders = {
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
	"referrer-policy": "no-referrer",
	"content-security-policy":
		"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** The first step: every response has these headers, also an error. */
export const nameRequest: Step = (request, reply) => {
	reply.header("x-request-id", request.id);
	reply.headers(securityHeaders);
};

/** Logs one line per request, and measures the duration by route. */
export function installObservation(
	app: FastifyInstance,
	{ log, durations }: { log: Logger; durations: RequestDurations },
): void {
	// These lines contain nothing to redact, and the check takes 30 µs, more than the rest of a request
	// (`bench/chassis`: 28 µs with the rate limits).
	const lines = log.child({}, { redact: { paths: [] } });
	app.addHook("onResponse", (request, reply, done) => {
		const route = addressOf(request) ?? "unknown";
		const { method } = request;
		const { statusCode: status, elapsedTime: ms } = reply;
		// A stream stays open on purpose: its duration says nothing about the service.
		if (!isStream(reply)) durations.record({ method, route, status, seconds: ms / 1_000 });
		if (!isOperation(route) && lines.isLevelEnabled("info"))
			lines.info(
				{
					reqId: request.id,
					method,
					path: loggedPath(request),
					status,
					ms: Math.round(ms),
					// Connects the line with the trace; undefined if the request is not recorded.
					trace_id: traceIdOf(request),
				},
				"request",
			);
		done();
	});
}

const isStream = (reply: FastifyReply) =>
	reply.getHeader("content-type")?.toString().startsWith("text/event-stream") === true;
