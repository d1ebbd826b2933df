import { maxHeaderSize } from "node:http";
import type { Tracer } from "@opentelemetry/api";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { addressesIn, connectionOptions, limitConnections } from "../limits/connections.ts";
import { limitPreflightsWith } from "../limits/limit-preflights.ts";
import { limitUnroutedWith } from "../limits/limit-unrouted.ts";
import type { SharedCounts } from "../limits/shared-counts.ts";
import { installSlots, pauseSlot } from "../limits/tenant-slots.ts";
import { createRefusalLog } from "../observe/log-refusals.ts";
import type { Logger, Metrics } from "../observe/observe.ts";
import { installObservation, nameRequest } from "../observe/observe-requests.ts";
import { installRequestLogs } from "../observe/request-log.ts";
import { sampleLines } from "../observe/sample-lines.ts";
import { inRequestContext, traceRequests } from "../observe/trace-requests.ts";
import { requireReadablePath, routeUnreadablePath } from "../request/readable-path.ts";
import { requestIdOf } from "../request/request-id.ts";
import { declared, guarded, type Pipeline, type Route } from "../request/route.ts";
import { SettingsError } from "../settings/settings.ts";
import { type CrossOriginOptions, crossOriginWith } from "./cross-origin.ts";
import { installDocs } from "./docs.ts";
import { installEventStreams } from "./event-stream.ts";
import { installHealth, type ReadinessChecks } from "./health.ts";
import { installKeepable } from "./keepable.ts";
import { moveOtherAddresses, type OtherAddress } from "./other-addresses.ts";
import { answerUnroutedWith, installFailures } from "./render-failure.ts";
import { installPipeline } from "./run-pipeline.ts";
import type { ServerSettings } from "./server-settings.ts";
import { installValidation } from "./validation.ts";

export type ServerOptions = {
	name: string;
	title: string;
	log: Logger;
	metrics: Metrics;
	/** Creates spans for requests; undefined: no spans. */
	tracer: Tracer | undefined;
	settings: ServerSettings & { trustedProxies: readonly string[] };
	pipeline: Pipeline;
	routes: readonly Route[];
	/** Further forms of the paths of these routes. */
	otherAddresses: readonly OtherAddress[];
	checks: ReadinessChecks;
	cors: Omit<CrossOriginOptions, "publicPaths">;
	plugins?: (app: FastifyInstance) => Promise<void>;
	/** Whether the pipeline limits the rate of every route, for the OpenAPI document. */
	isRateLimited: boolean;
	now: () => Date;
	sharedCounts: SharedCounts | undefined;
};

const bodyBytesMax = 64 * 1024;

/**
 * Builds the HTTP server of a service: one error format, limits of bodies and times, logs, metrics,
 * health, reference, the pipeline, the routes.
 */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
	const { log, metrics, settings, pipeline, routes, plugins } = options;
	const isProxy = proxiesOf(settings.trustedProxies);
	const logRefusal = createRefusalLog();
	const moveAddress = moveOtherAddresses(options.otherAddresses);
	const app: FastifyInstance = Fastify({
		loggerInstance: log as FastifyBaseLogger,
		logController: new LogController({ disableRequestLogging: true }),
		trustProxy: settings.trustedProxies.length > 0 ? isProxy : false,
		bodyLimit: bodyBytesMax,
		...connectionOptions(settings),
		forceCloseConnections: "idle",
		return503OnClosing: false,
		frameworkErrors: answerUnroutedWith(logRefusal),
		genReqId: requestIdOf,
		rewriteUrl: (request) => moveAddress(routeUnreadablePath(request)),
		// A path cannot be longer than the headers; `requireReadablePath` refuses a long parameter and names
		// it.
		routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: false },
	});
	limitConnections(app.server, settings, { isExempt: isProxy, onRefused: logRefusedConnections(log) });
	installRequestLogs(app);
	installValidation(app);
	installSlots(app);
	installKeepable(app);
	installEventStreams(app);
	const answerUnknownAddress = installFailures(app, logRefusal);
	const contextOf = traceRequests(app, options.tracer);
	installObservation(app, { log, durations: metrics.durations });
	const { headers, isAllowed } = options.cors;
	const counting = { now: options.now, shared: options.sharedCounts };
	const entrance = [
		nameRequest,
		limitPreflightsWith(counting),
		crossOriginWith({
			headers: [...headers, ...headersRead(routes)],
			isAllowed,
			publicPaths: new Set(routes.filter(({ anyOrigin }) => anyOrigin === true).map(({ url }) => url)),
		}),
		limitUnroutedWith(counting),
		requireReadablePath,
	];
	installPipeline(app, {
		entrance,
		pipeline: [neverKept, ...pipeline, [pauseSlot, declared]],
		contextOf,
		answerUnknownAddress,
	});
	await plugins?.(app);
	await installDocs(app, { title: options.title, isRateLimited: options.isRateLimited });
	installHealth(app, { checks: options.checks, metrics, metricsToken: settings.metricsToken });
	for (const one of routes) {
		if (one.bytes === undefined) declare(app, one);
		else await declareUpload(app, one, one.bytes);
	}
	return app;
}

/** Adds a route. Its rules are stored in the route's config, where the pipeline reads them. */
function declare(app: FastifyInstance, route: Route): void {
	const { access, subscription, product, feature, limit, own, useCase, outlets, ...others } = route;
	const {
		customerFeature,
		pending,
		failures,
		scope,
		anyOrigin,
		addressLimit,
		secretPath,
		bytes: _bytes,
		...rest
	} = others;
	const gates = { access, subscription, product, feature, limit, own, useCase, outlets, addressLimit };
	const rules = { ...gates, customerFeature, pending, failures, scope, anyOrigin, secretPath };
	const handler = inRequestContext(rest.handler);
	app.route({ ...rest, handler, config: { ...rest.config, rules } as NonNullable<typeof rest.config> });
}

/**
 * Adds a route whose body is bytes, in a separate scope, so that other routes still refuse these media
 * types.
 */
async function declareUpload(
	app: FastifyInstance,
	route: Route,
	mediaTypes: readonly string[] | "any",
): Promise<void> {
	await app.register((scope, _options, done) => {
		scope.removeAllContentTypeParsers();
		const parsed = mediaTypes === "any" ? "*" : [...mediaTypes];
		scope.addContentTypeParser(parsed, { parseAs: "buffer" }, (_request, body, ready) => ready(null, body));
		const consumes = mediaTypes === "any" ? ["*/*"] : mediaTypes;
		declare(scope, { ...route, schema: { ...route.schema, consumes } });
		done();
	});
}

/** Reads the addresses of trusted proxies. Throws SettingsError for an invalid address. */
function proxiesOf(ranges: readonly string[]): (address: string) => boolean {
	try {
		return addressesIn(ranges);
	} catch (error) {
		throw new SettingsError([`LANGO_TRUSTED_PROXIES: ${(error as Error).message}`]);
	}
}

/** Logs at most one line per minute and reason. */
function logRefusedConnections(log: Logger): (reason: string) => void {
	const take = sampleLines();
	return (reason) => {
		const line = take(reason, 1);
		if (line !== undefined) log.warn({ reason, ...line }, "connections refused: too many are open");
	};
}

/**
 * Responses of guarded routes must not be stored by caches (RFC 9111 §5.2.2.5), unless the route sets
 * another value.
 */
const neverKept: Pipeline[number] = [(_, reply) => void reply.header("cache-control", "no-store"), guarded];

/**
 * The request headers that routes declare, such as Idempotency-Key and If-None-Match. Browsers may send
 * them.
 */
function headersRead(routes: readonly Route[]): readonly string[] {
	return routes.flatMap(({ schema }) => {
		const { properties = {} } = (schema?.headers ?? {}) as { properties?: Record<string, unknown> };
		return Object.keys(properties).map((name) =>
			name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
		);
	});
}
