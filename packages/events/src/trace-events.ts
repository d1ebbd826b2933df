import type { EventEnvelope } from "@lango/contracts";
import {
	type RequestContext,
	readTraceparent,
	runWithSpan,
	startRequestContext,
	toTraceMembers,
} from "@lango/tracing";
import { type Attributes, SpanKind, type Tracer } from "@opentelemetry/api";
import type { Transport } from "./transport.ts";

type Naming = { operation: "send" | "process"; consumer?: string };

/** The attributes of OpenTelemetry's messaging conventions. The destination is the event type. */
function attributesOf(envelope: EventEnvelope, { operation, consumer }: Naming): Attributes {
	return {
		"messaging.system": "lango",
		"messaging.operation.type": operation,
		"messaging.operation.name": operation,
		"messaging.destination.name": envelope.type,
		"messaging.message.id": envelope.id,
		...(envelope.correlationid !== undefined && {
			"messaging.message.conversation_id": envelope.correlationid,
		}),
		...(consumer !== undefined && { "messaging.consumer.group.name": consumer }),
		...(envelope.tenantid !== undefined && { "lango.tenant_id": envelope.tenantid }),
	};
}

/** Continues the request context that caused the event. An event without a request id uses its own id. */
function contextOf(envelope: EventEnvelope, tracer: Tracer | undefined, naming: Naming): RequestContext {
	return startRequestContext({
		correlationId: envelope.correlationid ?? envelope.id,
		tracer,
		parent: readTraceparent(envelope.traceparent, envelope.tracestate),
		name: `${naming.operation} ${envelope.type}`,
		kind: naming.operation === "send" ? SpanKind.PRODUCER : SpanKind.CONSUMER,
		attributes: () => attributesOf(envelope, naming),
	});
}

/**
 * Publishes an event in a span of its own, which becomes the event's `traceparent`. Without a tracer or a
 * trace, the event is published unchanged.
 */
export async function publishTraced(
	transport: Transport,
	envelope: EventEnvelope,
	tracer: Tracer | undefined,
): Promise<void> {
	if (tracer === undefined || envelope.traceparent === undefined) return transport.publish(envelope);
	const context = contextOf(envelope, tracer, { operation: "send" });
	const { traceparent: _, tracestate: __, ...rest } = envelope;
	const { data, ...members } = rest;
	await runWithSpan(context, () => transport.publish({ ...members, ...toTraceMembers(context.at), data }));
}

/**
 * Creates the request context in which a consumer applies an event: a child of the span that published it.
 */
export const contextOfEffect = (
	envelope: EventEnvelope,
	tracer: Tracer | undefined,
	consumer: string,
): RequestContext => contextOf(envelope, tracer, { operation: "process", consumer });
