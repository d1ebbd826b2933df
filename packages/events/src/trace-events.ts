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

/** By the conventions of OpenTelemetry for messaging; the type of an event is where it goes. */
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

/** The trail an event belongs to: that of what caused it. One that names no request is known by its own id. */
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

/** Publishes an event in a span of its own, which the event then comes from; without a tracer, or a trace, as it is. */
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

/** Begins the trail on which a consumer has the effect of an event, in a span below the one it was sent in. */
export const contextOfEffect = (
	envelope: EventEnvelope,
	tracer: Tracer | undefined,
	consumer: string,
): RequestContext => contextOf(envelope, tracer, { operation: "process", consumer });
