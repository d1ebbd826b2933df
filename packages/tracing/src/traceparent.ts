import { createTraceState, isSpanContextValid, type SpanContext } from "@opentelemetry/api";

/** W3C Trace Context §3.2.2: version, trace, span, flags; later versions may add members after them. */
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const lengthMax = 256;
/** W3C Trace Context §3.3.1.5: at least this many characters are passed on. */
const stateLengthMax = 512;

/**
 * A position in a trace, as HTTP headers or as event attributes (CloudEvents Distributed Tracing extension).
 */
export type TraceMembers = { traceparent?: string; tracestate?: string };

/**
 * Parses `traceparent` and `tracestate`. Returns undefined if `traceparent` is invalid; a new trace begins
 * then.
 */
export function readTraceparent(text: unknown, state?: unknown): SpanContext | undefined {
	if (typeof text !== "string" || text.length > lengthMax) return undefined;
	const [, version, traceId = "", spanId = "", flags = "", more] = form.exec(text) ?? [];
	if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
	const place: SpanContext = {
		traceId,
		spanId,
		traceFlags: Number.parseInt(flags, 16) & 1,
		isRemote: true,
		...(typeof state === "string" &&
			state !== "" &&
			state.length <= stateLengthMax && { traceState: createTraceState(state) }),
	};
	return isSpanContextValid(place) ? place : undefined;
}

/** Formats a position in a trace for sending. Returns an empty object if it is undefined or invalid. */
export function toTraceMembers(place: SpanContext | undefined): TraceMembers {
	if (place === undefined) return {};
	const flags = (place.traceFlags & 1).toString(16).padStart(2, "0");
	const tracestate = place.traceState?.serialize();
	return {
		traceparent: `00-${place.traceId}-${place.spanId}-${flags}`,
		...(tracestate && { tracestate }),
	};
}
