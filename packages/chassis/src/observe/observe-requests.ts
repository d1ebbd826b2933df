import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from "fastify";
import pino from "pino";
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
	// These lines contain nothing to redact, and the check would take longer than writing them.
	const lines = withoutMixin(log.child({}, { redact: { paths: [] } }));
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

/** A log without the mixin of `createLog`: its lines have the request id as a binding. */
function withoutMixin<T extends object>(log: T): T {
	(log as Record<symbol, unknown>)[pino.symbols.mixinSym] = undefined;
	return log;
}

/**
 * Creates the log of each request as `log.child({ reqId })` would, but faster: it neither serializes and
 * redacts the bindings of the log again nor uses the methods of the child. Ids need no escaping in JSON.
 * Any other child is made as usual.
 */
export function installRequestLogs({ log }: FastifyInstance): void {
	const { chindingsSym } = pino.symbols;
	const written = log as FastifyBaseLogger & Record<symbol, string>;
	const own = `${written[chindingsSym] ?? ""},"reqId":"`;
	const { child } = log;
	const ofRequest: FastifyBaseLogger["child"] = function (this: FastifyBaseLogger, bindings, options) {
		const { reqId } = bindings;
		if (this !== log || typeof reqId !== "string" || !hasOnly(bindings, "reqId") || !hasOnly(options))
			return child.call(this, bindings, options);
		const made = Object.create(log) as FastifyBaseLogger & Record<symbol, string>;
		made[chindingsSym] = `${own}${reqId}"`;
		return withoutMixin(made);
	};
	log.child = ofRequest;
}

function hasOnly(given: object | undefined, name?: string): boolean {
	for (const key in given) if (key !== name) return false;
	return true;
}
