import {
	currentRequestContext,
	type RequestContext,
	readTraceparent,
	startRequestContext,
	toTraceMembers,
} from "@lango/tracing";
import { SpanKind, type Tracer } from "@opentelemetry/api";

/** The request context that is stored with a job. */
export type Cause = { correlationId?: string; traceparent?: string; tracestate?: string };

/**
 * The request context to store with a new job. An immediate job belongs to the same request. A job with a
 * later start (a renewal in a month) has its own id and only links to the trace that enqueued it.
 */
export function causeOf({ isLater }: { isLater: boolean }): Cause {
	const context = currentRequestContext();
	if (context === undefined) return {};
	return { ...(!isLater && { correlationId: context.correlationId }), ...toTraceMembers(context.at) };
}

type Try = { id: string; name: string; retryCount: number; data?: (Cause & { id?: string }) | null };

/**
 * Creates the request context of an attempt: a child of the enqueuing span or, for a later start, a new trace
 * that links to it.
 */
export function contextOfAttempt(
	{ id, name, retryCount, data }: Try,
	tracer: Tracer | undefined,
): RequestContext {
	const asked = readTraceparent(data?.traceparent, data?.tracestate);
	const isSame = data?.correlationId !== undefined;
	return startRequestContext({
		correlationId: data?.correlationId ?? id,
		tracer,
		parent: isSame ? asked : undefined,
		links: asked !== undefined && !isSame ? [{ context: asked }] : [],
		name: `process ${name}`,
		kind: SpanKind.CONSUMER,
		attributes: () => ({
			"messaging.system": "pg-boss",
			"messaging.operation.type": "process",
			"messaging.operation.name": "process",
			"messaging.destination.name": name,
			"messaging.message.id": id,
			"lango.job.try": retryCount + 1,
		}),
	});
}
