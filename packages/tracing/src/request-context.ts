import { AsyncLocalStorage } from "node:async_hooks";
import type { Span, SpanContext, Tracer } from "@opentelemetry/api";

/**
 * The request context: what an incoming request, an event or a job attempt carries through its call chain.
 */
export type RequestContext = {
	/** The id of the original request: `X-Request-ID`, `correlationid` of events, `reqId` of log lines. */
	correlationId: string;
	/** Creates the service's spans. Undefined if the service exports no spans. */
	tracer: Tracer | undefined;
	/** The span of this work. Undefined if it is not recorded; its children are not recorded either. */
	span: Span | undefined;
	/** The position in the trace that is sent on: the own span or, without an exporter, the received one. */
	at: SpanContext | undefined;
};

const contexts = new AsyncLocalStorage<RequestContext | undefined>();

/** Returns the current request context. Undefined for work that the service starts by itself. */
export const currentRequestContext = (): RequestContext | undefined => contexts.getStore();

/** Runs `work` and everything it causes in a request context. */
export const withRequestContext = <T>(context: RequestContext, work: () => T): T =>
	contexts.run(context, work);

/**
 * Runs `work` without a request context: for shared work that does not belong to the request that happened to
 * start it.
 */
export const withoutRequestContext = <T>(work: () => T): T => contexts.run(undefined, work);
