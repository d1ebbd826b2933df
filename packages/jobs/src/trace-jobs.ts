import {
	currentRequestContext,
	type RequestContext,
	readTraceparent,
	startRequestContext,
	toTraceMembers,
} from "@lango/tracing";
import { SpanKind, type Tracer } from "@opentelemetry/api";

/** What a job remembers of what asked for it; besides this and a row's id it holds nothing. */
export type Cause = { correlationId?: string; traceparent?: string; tracestate?: string };

/**
 * What asks for the job under way. What is asked for at once belongs to the same request; what waits for its time (a renewal
 * in a month) will be known by its own id, and only points to where it was asked for.
 */
export function causeOf({ isLater }: { isLater: boolean }): Cause {
	const context = currentRequestContext();
	if (context === undefined) return {};
	return { ...(!isLater && { correlationId: context.correlationId }), ...toTraceMembers(context.at) };
}

type Try = { id: string; name: string; retryCount: number; data?: (Cause & { id?: string }) | null };

/** Begins the trail of one try: below what asked for the job, or a trace of its own that points there. */
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
