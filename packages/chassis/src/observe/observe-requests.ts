import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import pino from "pino";
import { addressOf, isOperation, type Step } from "../request/route.ts";
import type { Logger } from "./observe.ts";
import type { RequestDurations } from "./request-durations.ts";
import { traceIdOf } from "./trace-requests.ts";

/**
 * Nothing of a service's is a page in somebody's frame, or loads anything, unless its route says otherwise.
 */
const securityHeaders = {
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
	"referrer-policy": "no-referrer",
	"content-security-policy":
		"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** The first of all steps: whatever becomes of a request, its answer has these headers. */
export const nameRequest: Step = (request, reply) => {
	reply.header("x-request-id", request.id);
	reply.headers(securityHeaders);
};

/** One line a request, without its query (which may hold codes), and one measurement by route. */
export function installObservation(
	app: FastifyInstance,
	{ log, durations }: { log: Logger; durations: RequestDurations },
): void {
	// These lines hold nothing that would have to be blotted out, and looking for it takes longer than
	// writing them.
	const lines = withoutMixin(log.child({}, { redact: { paths: [] } }));
	app.addHook("onResponse", (request, reply, done) => {
		const route = addressOf(request) ?? "unknown";
		const { method } = request;
		const { statusCode: status, elapsedTime: ms } = reply;
		durations.record({ method, route, status, seconds: ms / 1_000 });
		if (!isOperation(route) && lines.isLevelEnabled("info"))
			lines.info(
				{
					reqId: request.id,
					method,
					path: pathOf(request.originalUrl),
					status,
					ms: Math.round(ms),
					// By which the line and the trace find each other; left out where nothing is recorded.
					trace_id: traceIdOf(request),
				},
				"request",
			);
		done();
	});
}

/** A log without the mixin of `createLog`: its lines have the request id as a binding. */
function withoutMixin<T extends object>(log: T): T {
	(log as Record<symbol, unknown>)[pino.symbols.mixinSym] = undefined;
	return log;
}

function pathOf(url: string): string {
	const query = url.indexOf("?");
	return query === -1 ? url : url.slice(0, query);
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
