import { randomUUID } from "node:crypto";
import type { Tracer } from "@opentelemetry/api";
import { undecidedKey } from "./span.ts";

/** How much is recorded, in the words of the OpenTelemetry specification. */
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
	/** Where spans are sent, as OTLP in JSON over HTTP. */
	url: string;
	/** The service, as the spans name it. */
	service: string;
	/** Further attributes of the process. */
	attributes?: Readonly<Record<string, string>>;
	headers?: Readonly<Record<string, string>>;
	sampler: SamplerName;
	/** Of `traceidratio`: the share of traces that is recorded, 0 to 1. */
	ratio: number;
	/** How long sending may take, with its tries. */
	timeoutMs: number;
	/** How long a span waits for others to be sent with. */
	delayMs: number;
	/** So many spans wait at most; further ones are dropped. */
	queueMax: number;
	/** Told when sending fails after it succeeded, and without an error when it succeeds again. */
	onTrouble: (error: unknown) => void;
};

/** A service's tracer, and its end: what waits is sent, for `closeMs` at most. */
export type Tracing = { tracer: Tracer; close(): Promise<void> };

const batchMax = 512;
const closeMs = 2_000;
const valueLengthMax = 2_048;

/**
 * Opens the way out for spans. The libraries for it are loaded here and nowhere else: who does not export does not pay. Whether the
 * collector answers concerns nobody else: spans wait in a bounded queue, and are dropped when it is full.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
	const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
		import("@opentelemetry/sdk-trace"),
		import("@opentelemetry/exporter-trace-otlp-http"),
		import("@opentelemetry/resources"),
	]);
	const { url, service, attributes, headers, timeoutMs, delayMs, queueMax, onTrouble } = options;
	const exporter = new OTLPTraceExporter({
		url,
		headers: { ...headers },
		timeoutMillis: timeoutMs,
		concurrencyLimit: 4,
	});
	const processor = new sdk.BatchSpanProcessor({
		exporter: telling(exporter, onTrouble),
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

/** What comes from a browser is decided upon as if it began here; between services the decision is followed. */
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
		context.getValue(undecidedKey) === true
			? root.shouldSample(context, about[0])
			: following.shouldSample(context, ...about);
	return { shouldSample: decide, toString: () => following.toString() };
}

/** The exporter, which tells of each change between failing and succeeding. */
function telling(exporter: Exporter, onTrouble: (error: unknown) => void): Exporter {
	let isFailing = false;
	return {
		export: (spans, done) =>
			exporter.export(spans, (result) => {
				const failed = result.code !== 0;
				if (failed !== isFailing) onTrouble(failed ? (result.error ?? new Error("not taken")) : undefined);
				isFailing = failed;
				done(result);
			}),
		forceFlush: async () => exporter.forceFlush?.(),
		shutdown: () => exporter.shutdown(),
	};
}

/** What could not be sent by then is lost: that concerns nobody but who looks at traces. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ms);
	});
	await Promise.race([work.catch(() => undefined), late]);
	clearTimeout(timer);
}
