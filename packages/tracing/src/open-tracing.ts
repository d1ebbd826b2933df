import { randomUUID } from "node:crypto";
import type { Tracer } from "@opentelemetry/api";
import { untrustedParentKey } from "./span.ts";

/** The samplers of the OpenTelemetry specification (`OTEL_TRACES_SAMPLER`). */
export const samplers = [
	"always_on",
	"always_off",
	"traceidratio",
	"parentbased_always_on",
	"parentbased_always_off",
	"parentbased_traceidratio",
] as const;
export type SamplerName = (typeof samplers)[number];

export type TracingOptions = {
	/** The URL of the collector, OTLP as JSON over HTTP. */
	url: string;
	/** The service name in the spans (`service.name`). */
	service: string;
	/** Additional resource attributes. */
	attributes?: Readonly<Record<string, string>>;
	headers?: Readonly<Record<string, string>>;
	sampler: SamplerName;
	/** For the `traceidratio` samplers: the share of traces that is recorded, 0 to 1. */
	ratio: number;
	/** The time limit of one export including its retries. */
	timeoutMs: number;
	/** How long a span waits for a batch before it is exported. */
	delayMs: number;
	/** The maximum number of queued spans. Further spans are dropped. */
	queueMax: number;
	/** Called with an error when exports begin to fail, and with undefined when they succeed again. */
	onError: (error: unknown) => void;
};

/** The tracer of a service. `close` exports the queued spans and waits at most `closeMs`. */
export type Tracing = { tracer: Tracer; close(): Promise<void> };

const batchMax = 512;
const closeMs = 2_000;
const valueLengthMax = 2_048;

/**
 * Opens the exporter of spans. Its libraries are loaded here only, so a service without tracing does not load
 * them. An unavailable collector never delays requests: spans wait in a bounded queue and are dropped when it
 * is full.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
	const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
		import("@opentelemetry/sdk-trace"),
		import("@opentelemetry/exporter-trace-otlp-http"),
		import("@opentelemetry/resources"),
	]);
	const { url, service, attributes, headers, timeoutMs, delayMs, queueMax, onError } = options;
	const exporter = new OTLPTraceExporter({
		url,
		headers: { ...headers },
		timeoutMillis: timeoutMs,
		concurrencyLimit: 4,
	});
	const processor = new sdk.BatchSpanProcessor({
		exporter: reportChanges(exporter, onError),
		maxQueueSize: queueMax,
		maxExportBatchSize: Math.min(batchMax, queueMax),
		scheduledDelayMillis: delayMs,
		exportTimeoutMillis: timeoutMs + 1_000,
	});
	const provider = new sdk.TracerProvider({
		resource: resourceFromAttributes({
			"service.namespace": "lango",
			"service.instance.id": randomUUID(),
			...attributes,
			"service.name": service,
		}),
		sampler: samplerOf(sdk, options),
		spanLimits: { attributeValueLengthLimit: valueLengthMax },
		spanProcessors: [processor],
	});
	return {
		tracer: provider.getTracer("lango"),
		close: () => withinTime(provider.shutdown(), closeMs),
	};
}

type Sdk = typeof import("@opentelemetry/sdk-trace");
type Exporter = import("@opentelemetry/sdk-trace").SpanExporter;

/**
 * Requests from browsers are sampled as new traces. Between services, the decision of the caller is followed.
 */
function samplerOf(sdk: Sdk, { sampler, ratio }: TracingOptions) {
	const [, isParentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
	const root =
		name === "always_on"
			? new sdk.AlwaysOnSampler()
			: name === "always_off"
				? new sdk.AlwaysOffSampler()
				: new sdk.TraceIdRatioBasedSampler(ratio);
	if (isParentBased === undefined) return root;
	const following = new sdk.ParentBasedSampler({ root });
	const decide: typeof following.shouldSample = (context, ...about) =>
		context.getValue(untrustedParentKey) === true
			? root.shouldSample(context, about[0])
			: following.shouldSample(context, ...about);
	return { shouldSample: decide, toString: () => following.toString() };
}

/** Wraps an exporter and reports each change between failing and succeeding. */
function reportChanges(exporter: Exporter, onError: (error: unknown) => void): Exporter {
	let isFailing = false;
	return {
		export: (spans, done) =>
			exporter.export(spans, (result) => {
				const failed = result.code !== 0;
				if (failed !== isFailing) onError(failed ? (result.error ?? new Error("export failed")) : undefined);
				isFailing = failed;
				done(result);
			}),
		forceFlush: async () => exporter.forceFlush?.(),
		shutdown: () => exporter.shutdown(),
	};
}

/** Waits for the work or the time limit. Spans that are not exported by then are lost. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ms);
	});
	await Promise.race([work.catch(() => undefined), late]);
	clearTimeout(timer);
}
