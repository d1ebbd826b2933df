import { openTracing, type SamplerName, samplers, type Tracing } from "@lango/tracing";
import {
	flag,
	integer,
	list,
	oneOf,
	type Secret,
	type Setting,
	secret,
	text,
	url,
} from "../settings/settings.ts";
import type { Logger } from "./observe.ts";

/** Where and how traces go out: the variables of the OpenTelemetry specification, by their own names. */
export const tracingSettings = {
	otelEndpoint: url({
		env: "OTEL_EXPORTER_OTLP_ENDPOINT",
		optional: true,
		because:
			"the OpenTelemetry collector, http://host:4318; traces are sent to /v1/traces below it, as OTLP in JSON; without it no traces are recorded",
	}),
	otelTracesEndpoint: url({
		env: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		optional: true,
		because: "the complete address for traces, if it is not under OTEL_EXPORTER_OTLP_ENDPOINT",
	}),
	otelHeaders: secret({
		env: "OTEL_EXPORTER_OTLP_HEADERS",
		optional: true,
		because: "headers for the collector, name=value (several separated by commas)",
	}),
	otelTimeoutMs: integer({
		env: "OTEL_EXPORTER_OTLP_TIMEOUT",
		default: 10_000,
		min: 100,
		max: 60_000,
		because: "the timeout for sending traces, in milliseconds",
	}),
	otelServiceName: text({
		env: "OTEL_SERVICE_NAME",
		optional: true,
		because: "the name of the service in traces; by default its own name",
	}),
	otelAttributes: list({
		env: "OTEL_RESOURCE_ATTRIBUTES",
		default: [],
		because:
			"further attributes of the process in traces, name=value (deployment.environment.name=production)",
	}),
	otelSampler: oneOf(samplers, {
		env: "OTEL_TRACES_SAMPLER",
		default: "parentbased_always_on",
		because:
			"which traces are recorded; parentbased_ follows the decision of the service that called, but not that of a browser",
	}),
	otelSamplerRatio: {
		env: "OTEL_TRACES_SAMPLER_ARG",
		kind: "number from 0 to 1",
		default: 1,
		because: "the share of traces that traceidratio and parentbased_traceidratio record",
		read: readRatio,
	} satisfies Setting<number> as Setting<number>,
	otelDelayMs: integer({
		env: "OTEL_BSP_SCHEDULE_DELAY",
		default: 5_000,
		min: 10,
		max: 60_000,
		because: "how long spans are collected before they are sent, in milliseconds",
	}),
	otelQueueMax: integer({
		env: "OTEL_BSP_MAX_QUEUE_SIZE",
		default: 2_048,
		min: 1,
		max: 100_000,
		because: "the maximum number of spans that wait to be sent; further ones are dropped",
	}),
	otelDisabled: flag({
		env: "OTEL_SDK_DISABLED",
		default: false,
		because: "true: no traces are recorded, whatever else is set",
	}),
};

function readRatio(value: string): number {
	const number = Number(value);
	if (!/^\d*\.?\d+$/.test(value) || number > 1) throw new Error("is a number from 0 to 1");
	return number;
}

export type TracingSettings = {
	otelEndpoint: string | undefined;
	otelTracesEndpoint: string | undefined;
	otelHeaders: Secret | undefined;
	otelTimeoutMs: number;
	otelServiceName: string | undefined;
	otelAttributes: readonly string[];
	otelSampler: SamplerName;
	otelSamplerRatio: number;
	otelDelayMs: number;
	otelQueueMax: number;
	otelDisabled: boolean;
};

/**
 * Opens the way out for a service's spans; undefined where no collector is named. It is not waited for, and
 * need not be there.
 */
export async function openTracingOf(
	settings: TracingSettings,
	{ name, log }: { name: string; log: Logger },
): Promise<Tracing | undefined> {
	const { otelEndpoint, otelTracesEndpoint, otelDisabled } = settings;
	const to = otelTracesEndpoint ?? (otelEndpoint && `${otelEndpoint}/v1/traces`);
	if (to === undefined || otelDisabled) return undefined;
	return openTracing({
		url: to,
		service: settings.otelServiceName ?? name,
		attributes: readPairs(settings.otelAttributes),
		headers: readPairs(settings.otelHeaders?.reveal().split(",") ?? []),
		sampler: settings.otelSampler,
		ratio: settings.otelSamplerRatio,
		timeoutMs: settings.otelTimeoutMs,
		delayMs: settings.otelDelayMs,
		queueMax: settings.otelQueueMax,
		onError: (err) =>
			err === undefined ? log.info("trace export succeeded again") : log.warn({ err }, "trace export failed"),
	});
}

/**
 * `name=value` each, the value percent-encoded (W3C Baggage, as OpenTelemetry has it); other parts are
 * ignored.
 */
function readPairs(pairs: readonly string[]): Record<string, string> {
	return Object.fromEntries(
		pairs.flatMap((pair) => {
			const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
			return name === undefined || value === undefined ? [] : [[name, decoded(value)]];
		}),
	);
}

function decoded(value: string): string {
	try {
		return decodeURIComponent(value);
	} catch {
		return value;
	}
}
