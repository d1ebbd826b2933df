import { currentRequestContext } from "@lango/tracing";
import type { Meter } from "@opentelemetry/api";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { MeterProvider, type ScopeMetrics } from "@opentelemetry/sdk-metrics";
import pino, { type Logger } from "pino";

import { suffixOf } from "./instruments.ts";
import { measureProcess } from "./measure-process.ts";
import { countDurations, type RequestDurations } from "./request-durations.ts";

export type { Logger };

/** Members whose values never reach a log, wherever they stand in what is logged. */
const secretMembers = [
	"authorization",
	"cookie",
	"password",
	"secret",
	"token",
	"access_token",
	"refresh_token",
	"id_token",
	"code_verifier",
	"client_secret",
	"ssoExchangeToken",
	"pin",
	"api_key",
	"x-api-key",
	"set-cookie",
];
/** A code is a secret in a request; in an error it is the error code. */
const secretPlaces = ["code", "body.code", "query.code", "params.code"];
const redact = {
	paths: [
		...secretPlaces,
		...secretMembers.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
	],
	censor: "[redacted]",
};

/** Where lines of a log go. */
export type LogDestination = { write(line: string): void };

/** A logger of JSON lines with redacted secrets. Writes to standard output unless a destination is given. */
export function createLog(service: string, level: string, to?: LogDestination): Logger {
	const serializers = { err: describeError };
	const options = {
		level,
		base: { service },
		redact,
		serializers,
		timestamp: pino.stdTimeFunctions.isoTime,
		mixin: requestIdOfContext,
	};
	return to === undefined ? pino(options) : pino(options, to);
}

/** Every line written while something has its effect names the request it goes back to. */
function requestIdOfContext(): { reqId?: string } {
	const context = currentRequestContext();
	return context === undefined ? {} : { reqId: context.correlationId };
}

/**
 * The logged fields of an error: type, message, stack and code, without other properties such as a driver's
 * connection.
 */
function describeError(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	const { type, message, stack, code } = pino.stdSerializers.err(error);
	return { type, message, stack, ...(typeof code === "string" && { code }) };
}

/** A service's instruments, the durations of its requests, and the text of both for Prometheus. */
export type Metrics = {
	meter: Meter;
	durations: RequestDurations;
	read(): Promise<string>;
	close(): Promise<void>;
};

/** Prometheus has the unit in the name; the exporter does not add it. */
const namedWithUnits = ({ scope, metrics }: ScopeMetrics): ScopeMetrics => ({
	scope,
	metrics: metrics.map((metric) => {
		const { descriptor } = metric;
		return { ...metric, descriptor: { ...descriptor, name: descriptor.name + suffixOf(descriptor.unit) } };
	}),
});

/** Makes a service's own instruments; nothing is shared between services of one process. */
export function createMetrics(service: string): Metrics {
	const exporter = new PrometheusExporter({ preventServerStart: true });
	const provider = new MeterProvider({ readers: [exporter] });
	const scope = { name: `lango.${service}` };
	const meter = provider.getMeter(scope.name);
	const durations = countDurations(scope);
	measureProcess(meter);
	// Without its line on the process, which several services share here; each sample names its service's
	// meter.
	const serializer = new PrometheusSerializer(undefined, false, undefined, true);
	return {
		meter,
		durations,
		async read() {
			const { resource, scopeMetrics } = (await exporter.collect()).resourceMetrics;
			const all = [...scopeMetrics, durations.read()];
			return serializer.serialize({ resource, scopeMetrics: all.map(namedWithUnits) });
		},
		close: () => provider.shutdown(),
	};
}
