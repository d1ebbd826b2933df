import {
	type Attributes,
	type Context,
	createContextKey,
	type Link,
	ROOT_CONTEXT,
	type Span,
	type SpanContext,
	type SpanKind,
	SpanStatusCode,
	type Tracer,
	trace,
} from "@opentelemetry/api";
import { currentTrail, onTrail, type Trail } from "./trail.ts";

export type SpanWish = {
	/** Of few different values: a method and a route's pattern, an operation and an event's type. */
	name: string;
	kind: SpanKind;
	/** Asked for only where the span is recorded. */
	attributes: () => Attributes;
};

export type TrailWish = SpanWish & {
	correlationId: string;
	tracer: Tracer | undefined;
	/** Where in a trace it came from. */
	parent: SpanContext | undefined;
	/** Whoever it came from has no say in whether it is recorded: a browser, that is anybody. */
	isUndecided?: boolean;
	links?: Link[];
};

/** In a context: the sampler decides as if the trace began here. */
export const undecidedKey = createContextKey("lango undecided");

/**
 * Begins the trail of a request, an event or a job: in a span of its own where the service exports, else at the place it came
 * from. End its span by `endSpan`.
 */
export function beginTrail(wish: TrailWish): Trail {
	const { correlationId, tracer, parent, name, kind, links = [] } = wish;
	if (tracer === undefined) return { correlationId, tracer, span: undefined, at: parent };
	const span = tracer.startSpan(name, { kind, links }, contextOf(parent, wish.isUndecided === true));
	const at = span.spanContext();
	if (!span.isRecording()) return { correlationId, tracer, span: undefined, at };
	span.setAttributes(wish.attributes());
	span.setAttribute("lango.request_id", correlationId);
	return { correlationId, tracer, span, at };
}

function contextOf(parent: SpanContext | undefined, isUndecided: boolean): Context {
	if (parent === undefined) return ROOT_CONTEXT;
	const context = trace.setSpanContext(ROOT_CONTEXT, parent);
	return isUndecided ? context.setValue(undecidedKey, true) : context;
}

/** Ends a span. Of an error it says only the kind: what it said may name people, and is in the log under the same request id. */
export function endSpan(span: Span | undefined, error?: unknown): void {
	if (span === undefined) return;
	if (error !== undefined) {
		span.setAttribute("error.type", kindOf(error));
		span.setStatus({ code: SpanStatusCode.ERROR });
	}
	span.end();
}

/** What an error is called where its message must not go: the code of the driver or of the system, or its class. */
export function kindOf(error: unknown): string {
	if (!(error instanceof Error)) return typeof error;
	return codeOf(error) ?? codeOf(error.cause) ?? error.name;
}

function codeOf(error: unknown): string | undefined {
	const { code } = error instanceof Error ? (error as { code?: unknown }) : {};
	return typeof code === "string" ? code : undefined;
}

/** Runs `work` on a trail and ends the trail's span with it. */
export async function followTrail<T>(trail: Trail, work: () => Promise<T>): Promise<T> {
	try {
		const result = await onTrail(trail, work);
		endSpan(trail.span);
		return result;
	} catch (error) {
		endSpan(trail.span, error);
		throw error;
	}
}

/** Runs `work` in a span below the one under way; where that is not recorded, as if it were not there. `work` begins at once. */
export function inSpan<T>(wish: SpanWish, work: (span: Span | undefined) => Promise<T>): Promise<T> {
	const trail = currentTrail();
	if (trail?.span === undefined) return work(undefined);
	const { name, kind, attributes } = wish;
	const span = trail.tracer?.startSpan(
		name,
		{ kind, attributes: attributes() },
		trace.setSpan(ROOT_CONTEXT, trail.span),
	);
	if (span === undefined) return work(undefined);
	return followTrail({ ...trail, span, at: span.spanContext() }, () => work(span));
}
