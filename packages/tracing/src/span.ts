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
import { currentRequestContext, type RequestContext, withRequestContext } from "./request-context.ts";

export type SpanOptions = {
	/** Low cardinality: the method and the route's pattern, or the operation and the event type. */
	name: string;
	kind: SpanKind;
	/** Called only if the span is recorded. */
	attributes: () => Attributes;
};

export type RequestContextOptions = SpanOptions & {
	correlationId: string;
	tracer: Tracer | undefined;
	/** Where in a trace it came from. */
	parent: SpanContext | undefined;
	/** The sampling decision of `parent` is not trusted and made again: the request comes from a browser. */
	isParentUntrusted?: boolean;
	links?: Link[];
};

/** Context key: the sampler decides as if the trace began here. */
export const untrustedParentKey = createContextKey("lango untrusted parent");

/**
 * Creates the request context of a request, an event or a job. It has a span of its own if the service
 * exports spans; else it continues at `parent`. The caller ends the span with `endSpan`.
 */
export function startRequestContext(options: RequestContextOptions): RequestContext {
	const { correlationId, tracer, parent, name, kind, links = [] } = options;
	if (tracer === undefined) return { correlationId, tracer, span: undefined, at: parent };
	const span = tracer.startSpan(name, { kind, links }, contextOf(parent, options.isParentUntrusted === true));
	const at = span.spanContext();
	if (!span.isRecording()) return { correlationId, tracer, span: undefined, at };
	span.setAttributes(options.attributes());
	span.setAttribute("lango.request_id", correlationId);
	return { correlationId, tracer, span, at };
}

function contextOf(parent: SpanContext | undefined, isParentUntrusted: boolean): Context {
	if (parent === undefined) return ROOT_CONTEXT;
	const context = trace.setSpanContext(ROOT_CONTEXT, parent);
	return isParentUntrusted ? context.setValue(untrustedParentKey, true) : context;
}

/**
 * Ends a span. An error is recorded by its kind only: its message may contain personal data. The log has the
 * message under the same request id.
 */
export function endSpan(span: Span | undefined, error?: unknown): void {
	if (span === undefined) return;
	if (error !== undefined) {
		span.setAttribute("error.type", kindOf(error));
		span.setStatus({ code: SpanStatusCode.ERROR });
	}
	span.end();
}

/**
 * Names the kind of an error for places where its message must not appear: the code of the driver or of the
 * system, or the class.
 */
export function kindOf(error: unknown): string {
	if (!(error instanceof Error)) return typeof error;
	return codeOf(error) ?? codeOf(error.cause) ?? error.name;
}

function codeOf(error: unknown): string | undefined {
	const { code } = error instanceof Error ? (error as { code?: unknown }) : {};
	return typeof code === "string" ? code : undefined;
}

/** Runs `work` in the request context and ends its span with the outcome. */
export async function runWithSpan<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
	try {
		const result = await withRequestContext(context, work);
		endSpan(context.span);
		return result;
	} catch (error) {
		endSpan(context.span, error);
		throw error;
	}
}

/**
 * Runs `work` in a child span of the current one, or without a span if the current work is not recorded.
 * `work` starts synchronously.
 */
export function inSpan<T>(options: SpanOptions, work: (span: Span | undefined) => Promise<T>): Promise<T> {
	const context = currentRequestContext();
	if (context?.span === undefined) return work(undefined);
	const { name, kind, attributes } = options;
	const span = context.tracer?.startSpan(
		name,
		{ kind, attributes: attributes() },
		trace.setSpan(ROOT_CONTEXT, context.span),
	);
	if (span === undefined) return work(undefined);
	return runWithSpan({ ...context, span, at: span.spanContext() }, () => work(span));
}
