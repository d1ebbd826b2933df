import { randomUUID } from "node:crypto";
import cors from "@fastify/cors";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { installDocs } from "./docs.ts";
import { installHealth, type ReadinessChecks } from "./health.ts";
import { installKeepable } from "./keepable.ts";
import { limitPreflights } from "./limit-preflights.ts";
import type { Logger, Metrics } from "./observe.ts";
import { installObservation, logOfRequest } from "./observe-requests.ts";
import { answerUnrouted, installFailures } from "./render-failure.ts";
import type { Pipeline, Route } from "./route.ts";
import { installPipeline } from "./run-pipeline.ts";
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
};

const bodyBytesMax = 64 * 1024;
const requestIdForm = /^[\w.:-]{1,64}$/;

/** Builds a service's HTTP side: one failure format, bounded bodies and times, logs, metrics, health, reference, the pipeline, the routes. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
	const { log, metrics, trustedProxies, pipeline, routes, plugins } = options;
	const app: FastifyInstance = Fastify({
		loggerInstance: log as FastifyBaseLogger,
		logController: new LogController({ disableRequestLogging: true }),
		trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
		bodyLimit: bodyBytesMax,
		requestTimeout: 30_000,
		connectionTimeout: 60_000,
		keepAliveTimeout: 72_000,
		forceCloseConnections: "idle",
		return503OnClosing: false,
		frameworkErrors: answerUnrouted,
		clientErrorHandler: answerUnreadable,
		childLoggerFactory: logOfRequest,
		genReqId: ({ headers }) => {
			const given = headers["x-request-id"];
			return typeof given === "string" && requestIdForm.test(given) ? given : randomUUID();
		},
		routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
	});
	installValidation(app);
	installKeepable(app);
	installFailures(app);
	installObservation(app, { log, durations: metrics.durations });
	installPipeline(app, pipeline);
	limitPreflights(app, { now: options.now });
	await installCors(app, options.cors);
	await plugins?.(app);
	await installDocs(app, { title: options.title, isRateLimited: options.isRateLimited });
	installHealth(app, { checks: options.checks, metrics });
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

/** The cross-origin policy of the payments text §4.5. */
async function installCors(
	app: FastifyInstance,
	{ headers, isAllowed }: ServerOptions["cors"],
): Promise<void> {
	await app.register(cors, {
		origin: (origin: string | undefined, decide: (error: Error | null, isAllowed: boolean) => void) => {
			if (origin === undefined) decide(null, false);
			else
				isAllowed(origin).then(
					(is) => decide(null, is),
					(error) => decide(error, false),
				);
		},
		methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
		allowedHeaders: [...new Set([...headers, "X-Tenant-ID", "X-Outlet-ID"])],
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
