import {
	currentRequestContext,
	endSpan,
	type RequestContext,
	readTraceparent,
	startRequestContext,
	withRequestContext,
} from "@lango/tracing";
import { type Attributes, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callOf } from "../request/call.ts";
import { addressOf } from "../request/route.ts";
import { loggedPath } from "./logged-path.ts";

/** The property of a request that has its request context. */
const contextKey = Symbol("request context");
type WithContext = { [contextKey]?: RequestContext };

/** Operational routes. They are not traced. */
const quiet: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz", "/metrics"]);

/** Creates the request context of a request. */
export type ContextOfRequest = (request: FastifyRequest) => RequestContext;

/**
 * Gives each request its request context, from the caller's `traceparent` (W3C Trace Context; an invalid
 * one is ignored) and the request id. With a tracer it has a span by the conventions of OpenTelemetry for
 * HTTP servers.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer | undefined): ContextOfRequest {
	app.decorateRequest(contextKey as unknown as string, undefined);
	if (tracer !== undefined) {
		app.addHook("onResponse", (request, reply, done) => {
			endRequest(request, reply);
			done();
		});
		app.addHook("onRequestAbort", (request, done) => {
			endRequest(request, undefined);
			done();
		});
	}
	return (request) => {
		const { traceparent, tracestate } = request.headers;
		const parent = traceparent === undefined ? undefined : readTraceparent(traceparent, tracestate);
		const context =
			tracer === undefined || quiet.has(addressOf(request))
				? { correlationId: request.id, tracer: undefined, span: undefined, at: parent }
				: beginRequest(request, { tracer, parent });
		(request as WithContext)[contextKey] = context;
		return context;
	};
}

function beginRequest(
	request: FastifyRequest,
	{ tracer, parent }: { tracer: Tracer; parent: RequestContext["at"] },
): RequestContext {
	const route = addressOf(request);
	return startRequestContext({
		correlationId: request.id,
		tracer,
		parent,
		isParentUntrusted: isOfBrowser(request),
		name: route === undefined ? request.method : `${request.method} ${route}`,
		kind: SpanKind.SERVER,
		attributes: () => attributesOf(request, route),
	});
}

/**
 * A browser says where its page is from; who calls from there is anybody, and does not decide what is
 * recorded here.
 */
function isOfBrowser({ headers }: FastifyRequest): boolean {
	return headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
}

function attributesOf(request: FastifyRequest, route: string | undefined): Attributes {
	return {
		"http.request.method": request.method,
		...(route !== undefined && { "http.route": route }),
		"url.scheme": request.protocol,
		"url.path": loggedPath(request),
		"server.address": request.hostname,
		...(request.port !== null && { "server.port": request.port }),
		"network.protocol.version": request.raw.httpVersion,
	};
}

/** Without an answer the caller went away before there was one. */
function endRequest(request: FastifyRequest, reply: FastifyReply | undefined): void {
	const context = (request as WithContext)[contextKey];
	const span = context?.span;
	if (span === undefined || !span.isRecording()) return;
	const { tenant } = callOf(request);
	if (tenant !== undefined) span.setAttribute("lango.tenant_id", tenant.id);
	if (reply !== undefined) span.setAttribute("http.response.status_code", reply.statusCode);
	const fault = faultOf(reply);
	if (fault !== undefined) {
		span.setAttribute("error.type", fault);
		span.setStatus({ code: SpanStatusCode.ERROR });
	}
	endSpan(span);
}

/** What was the matter with us, or with the line; a refusal is an answer like the others. */
function faultOf(reply: FastifyReply | undefined): string | undefined {
	if (reply === undefined) return "aborted";
	return reply.statusCode >= 500 ? String(reply.statusCode) : undefined;
}

/** The trace a request is recorded in, for its line in the log; undefined when it is not. */
export function traceIdOf(request: FastifyRequest): string | undefined {
	const context = (request as WithContext)[contextKey];
	return context?.span === undefined ? undefined : context.at?.traceId;
}

/**
 * Wraps a route's handler so that it runs in the request context. After the body was read, the handler is
 * called from the connection's events, which have no context. Without a body the context is still active.
 */
export function inRequestContext<H extends (...given: never[]) => unknown>(handler: H): H {
	return function (this: unknown, ...given: Parameters<H>) {
		const context = (given[0] as unknown as WithContext)[contextKey];
		if (context === undefined || context === currentRequestContext()) return handler.apply(this, given);
		return withRequestContext(context, () => handler.apply(this, given));
	} as H;
}
