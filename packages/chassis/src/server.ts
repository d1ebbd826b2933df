import { randomUUID } from "node:crypto";
import cors from "@fastify/cors";
import { ValueType } from "@opentelemetry/api";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { installDocs } from "./docs.ts";
import { installHealth, type ReadinessChecks } from "./health.ts";
import { installKeepable } from "./keepable.ts";
import { limitPreflights } from "./limit-preflights.ts";
import { type Logger, type Metrics, whenItSays } from "./observe.ts";
import { answerUnrouted, installFailures } from "./render-failure.ts";
import { guarded, type Pipeline, type Route } from "./route.ts";
import type { SharedCounts } from "./shared-counts.ts";
import { answerUnreadable } from "./unreadable-request.ts";
import { installValidation } from "./validation.ts";

export type ServerOptions = {
	name: string;
	title: string;
	log: Logger;
	metrics: Metrics;
	trustedProxies: readonly string[];
	pipeline: Pipeline;
	routes: readonly Route[];
	checks: ReadinessChecks;
	cors: { headers: readonly string[]; isAllowed: (origin: string) => Promise<boolean> };
	plugins?: (app: FastifyInstance) => Promise<void>;
	/** Its pipeline limits how often every route may be called; the reference says so. */
	isRateLimited: boolean;
	now: () => Date;
	sharedCounts: SharedCounts | undefined;
};

const bodyBytesMax = 64 * 1024;
const requestIdForm = /^[\w.:-]{1,64}$/;

/** Builds a service's HTTP side: one failure format, bounded bodies and times, logs, metrics, health, reference, the pipeline, the routes. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
	const { log, metrics, trustedProxies, pipeline, routes, plugins } = options;
	const app: FastifyInstance = Fastify({
		loggerInstance: log as FastifyBaseLogger,
		logController: new LogController({ disableRequestLogging: true }),
		childLoggerFactory: (logger, bindings, given) => whenItSays(() => logger.child(bindings, given)),
		trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
		bodyLimit: bodyBytesMax,
		requestTimeout: 30_000,
		connectionTimeout: 60_000,
		keepAliveTimeout: 72_000,
		forceCloseConnections: "idle",
		return503OnClosing: false,
		frameworkErrors: answerUnrouted,
		clientErrorHandler: answerUnreadable,
		genReqId: ({ headers }) => {
			const given = headers["x-request-id"];
			return typeof given === "string" && requestIdForm.test(given) ? given : randomUUID();
		},
		routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
	});
	installValidation(app);
	installKeepable(app);
	installFailures(app);
	installObservation(app, { log, metrics });
	limitPreflights(app, { now: options.now, shared: options.sharedCounts });
	await installCors(app, options.cors, routes);
	await plugins?.(app);
	await installDocs(app, { title: options.title, isRateLimited: options.isRateLimited });
	installHealth(app, { checks: options.checks, metrics });
	installPipeline(app, [neverKept, ...pipeline]);
	for (const {
		access,
		subscription,
		product,
		feature,
		limit,
		own,
		useCase,
		outlet,
		pending,
		failures,
		...rest
	} of routes) {
		const rules = { access, subscription, product, feature, limit, own, useCase, outlet, pending, failures };
		app.route({ ...rest, config: { ...rest.config, rules } as NonNullable<typeof rest.config> });
	}
	return app;
}

/** What is for some callers only is kept by nobody on its way (RFC 9111 §5.2.2.5), unless its route says otherwise. */
const neverKept: Pipeline[number] = [(_, reply) => void reply.header("cache-control", "no-store"), guarded];

/** Runs before the body is parsed: a caller we do not know costs us no parsing. */
function installPipeline(app: FastifyInstance, pipeline: Pipeline): void {
	app.addHook("onRequest", async (request, reply) => {
		for (const [step, when] of pipeline) {
			const underWay = when(request) ? step(request, reply) : undefined;
			if (underWay !== undefined) await underWay;
		}
	});
}

/** Nothing of a service's is a page in somebody's frame, or loads anything, unless its route says otherwise. */
const securityHeaders = {
	"x-content-type-options": "nosniff",
	"x-frame-options": "DENY",
	"referrer-policy": "no-referrer",
	"content-security-policy":
		"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** One line a request, without its query (which may hold codes), and one measurement by route. */
function installObservation(app: FastifyInstance, { log, metrics }: { log: Logger; metrics: Metrics }): void {
	const duration = metrics.meter.createHistogram("http.server.request.duration", {
		unit: "s",
		description: "Time from the request's first byte to the answer's last",
		valueType: ValueType.DOUBLE,
		advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
	});
	app.addHook("onRequest", (request, reply, done) => {
		reply.header("x-request-id", request.id);
		reply.headers(securityHeaders);
		done();
	});
	app.addHook("onResponse", (request, reply, done) => {
		done();
		const route = request.routeOptions.url ?? "unknown";
		const attributes = {
			"http.request.method": request.method,
			"http.route": route,
			"http.response.status_code": reply.statusCode,
		};
		duration.record(reply.elapsedTime / 1_000, attributes);
		if (quiet.has(route)) return;
		const line = {
			reqId: request.id,
			method: request.method,
			path: request.url.split("?")[0],
			status: reply.statusCode,
			ms: Math.round(reply.elapsedTime),
		};
		log.info(line, "request");
	});
}

const quiet: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** The cross-origin policy of the payments text §4.5. */
async function installCors(
	app: FastifyInstance,
	{ headers, isAllowed }: ServerOptions["cors"],
	routes: readonly Route[],
): Promise<void> {
	await app.register(cors, {
		origin: async (origin: string | undefined) => origin !== undefined && (await isAllowed(origin)),
		methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
		allowedHeaders: [...new Set([...headers, "X-Tenant-ID", "X-Outlet-ID", ...headersRead(routes)])],
		exposedHeaders: [
			"ETag",
			"Retry-After",
			"WWW-Authenticate",
			"X-Request-ID",
			"X-RateLimit-Limit",
			"X-RateLimit-Remaining",
			"X-RateLimit-Reset",
			"RateLimit-Limit",
			"RateLimit-Remaining",
			"RateLimit-Reset",
		],
		credentials: true,
		maxAge: 300,
		strictPreflight: false,
		hideOptionsRoute: true,
	});
}

/** What a route declares to read, a browser may send: Idempotency-Key, If-None-Match, and whatever else is a service's own. */
function headersRead(routes: readonly Route[]): readonly string[] {
	return routes.flatMap(({ schema }) => {
		const { properties = {} } = (schema?.headers ?? {}) as { properties?: Record<string, unknown> };
		return Object.keys(properties).map((name) =>
			name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
		);
	});
}
