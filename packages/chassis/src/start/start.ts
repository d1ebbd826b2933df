import { type Consumer, startConsumers, startRelay, type Transport } from "@lango/events";
import type { RunningJobs } from "@lango/jobs";
import {
	compareMigrations,
	type Database,
	openPool,
	type Pool,
	type Reserve,
	readCluster,
	readMigrations,
} from "@lango/postgres";
import { type KeyEncryptionKeys, readKeyEncryptionKeys } from "@lango/tokens";
import type { Tracer } from "@opentelemetry/api";
import type { FastifyInstance } from "fastify";
import { measureEffects, measureEvents, measurePool, measureUnread } from "../events/measure-work.ts";
import { type BusSettings, openTransport } from "../events/open-transport.ts";
import { deadJobRoutes } from "../failed-work/dead-job.routes.ts";
import { deadLetterRoutes } from "../failed-work/dead-letter.routes.ts";
import type { ReadinessChecks } from "../http/health.ts";
import { buildServer } from "../http/server.ts";
import type { ServerSettings } from "../http/server-settings.ts";
import { openSharedCounts } from "../limits/shared-counts.ts";
import { createTenantSlots } from "../limits/tenant-slots.ts";
import { createLog, createMetrics, type LogDestination, type Logger } from "../observe/observe.ts";
import { openTracingOf, type TracingSettings } from "../observe/tracing-settings.ts";
import type { Route } from "../request/route.ts";
import { type Context, type ServiceDefinition, settingsOf } from "../service.ts";
import { type Environment, readSettings, Secret, SettingsError } from "../settings/settings.ts";
import { leave } from "./leave.ts";
import { runJobs } from "./run-jobs.ts";
import {
	explainDatabase,
	explainListen,
	explainSettings,
	requireDatabaseAddress,
	StartFault,
} from "./start-fault.ts";
import { whenReachable } from "./when-reachable.ts";

export type StartOptions = {
	environment: Environment;
	/** Replaces the transport of `NATS_URL`: for several services in one process. */
	transport?: Transport;
	now?: () => Date;
	/** Replaces the log on standard output. */
	log?: Logger;
	/** For tests: jobs run only by `BuiltService.jobs`. */
	jobs?: "by hand";
	/** The destination of the log; default: standard output. */
	logTo?: LogDestination;
	/** Aborts a start in progress, which then rejects. */
	signal?: AbortSignal;
};

/**
 * A running service. `close` stops taking work, finishes work in progress within 10 s, and closes its
 * connections. `leave`, called before `close` behind a load balancer, makes `/readyz` fail and continues to
 * serve for `LANGO_STOP_NOTICE_MS`.
 */
export type RunningService = { name: string; url: string; leave(): Promise<void>; close(): Promise<void> };

/** A service that is built but does not listen: tests call it by `app.inject`. */
export type BuiltService = {
	app: FastifyInstance;
	db: Pool;
	jobs: Pick<RunningJobs, "runDue" | "run">;
	leave(): Promise<void>;
	close(): Promise<void>;
};

type CommonSettings = BusSettings &
	ServerSettings &
	TracingSettings & {
		port: number;
		host: string;
		databaseUrl: string;
		databaseConnectionsMax: number;
		tenantRequestsMax: number;
		logLevel: string;
		trustedProxies: readonly string[];
		allowedOrigins: readonly string[];
		redisUrl: string | undefined;
		stopNoticeMs: number;
	};

const drainMs = 10_000;
const idleCheckMs = 50;

/**
 * Builds a service when its database is reachable. Throws SettingsError for invalid settings, and an Error
 * if the database is unreachable for four minutes or its migrations do not match this program.
 */
export async function buildService(service: ServiceDefinition, options: StartOptions): Promise<BuiltService> {
	const settings = readSettings(settingsOf(service), options.environment) as CommonSettings &
		Record<string, unknown>;
	const { now = () => new Date(), logTo } = options;
	const { log = createLog(service.name, settings.logLevel, logTo) } = options;
	const db = openDatabase(service, { settings, log });
	const metrics = createMetrics(service.name);
	const stops: Array<() => Promise<void>> = [() => db.close(), () => metrics.close()];
	const close = async () => {
		for (const stop of stops.toReversed()) await stop();
	};
	try {
		const known = await findTables(service, { db, log, signal: options.signal });
		const { transport, sharedCounts, tracer } = await openOutside(settings, { service, options, log, stops });
		const checks = checksOf({ name: service.name, known }, { db, transport, sharedCounts });
		const context: Context = {
			settings,
			db,
			log,
			meter: metrics.meter,
			transport,
			sharedCounts,
			tenantSlots: createTenantSlots({ requestsMax: settings.tenantRequestsMax }),
			now,
			readyWhen: (name, check) => void checks.set(name, vital(check)),
			onStop: (stop) => void stops.push(stop),
		};
		const dependencies = await service.dependencies(context);
		const consumers = service.consumes?.(dependencies) ?? [];
		const operation = operationRoutes(service, { hasConsumers: consumers.length > 0, db, now });
		const isDeclared = service.originAllowed?.(dependencies) ?? (async () => false);
		const app = await buildServer({
			name: service.name,
			title: service.title,
			log,
			metrics,
			tracer,
			checks,
			settings,
			now,
			sharedCounts,
			isRateLimited: service.isRateLimited === true,
			pipeline: service.pipeline(dependencies),
			otherAddresses: service.otherAddresses ?? [],
			routes: [...service.routes.flatMap((group) => group(dependencies)), ...operation],
			cors: {
				headers: service.corsHeaders,
				isAllowed: async (origin) => settings.allowedOrigins.includes(origin) || isDeclared(origin),
			},
			...(service.plugins !== undefined && { plugins: service.plugins }),
		});
		await app.ready();
		options.signal?.throwIfAborted();
		measurePool(context, { db, name: service.name });
		measureEvents(context, { name: service.name, hasConsumers: consumers.length > 0 });
		await startEvents(context, { name: service.name, consumers, tracer });
		const isByHand = options.jobs === "by hand";
		const jobs = await runJobs(service, { context, dependencies, tracer, isByHand });
		stops.push(async () => void (await Promise.all([drained(app, log), jobs.stop()])));
		return { app, db, jobs, leave: () => leave({ app, checks, noticeMs: settings.stopNoticeMs }), close };
	} catch (error) {
		await close();
		throw error;
	}
}

function openDatabase(
	service: ServiceDefinition,
	{ settings, log }: { settings: CommonSettings; log: Logger },
): Pool {
	const { databaseUrl: url, databaseConnectionsMax: sizeMax } = settings;
	return openPool({
		url,
		name: service.name,
		sizeMax,
		reserve: reserveOf(sizeMax, service),
		onIdleError: (err) => log.warn({ err }, "connection lost"),
		onViolation: (err) => log.error({ err }, "a call chain waits with an open transaction"),
	});
}

/**
 * Reserves one connection for `GET /readyz`, so that it checks the database even if all other connections
 * wait for a lock, and a fifth, at least one, for reads that other services depend on. A pool of one or two
 * is too small for both.
 */
function reserveOf(
	sizeMax: number,
	{ hasPriorityReads = false }: Pick<ServiceDefinition, "hasPriorityReads">,
): Required<Reserve> {
	const priority = hasPriorityReads && sizeMax > 2 ? Math.max(1, Math.floor(sizeMax / 5)) : 0;
	return { check: sizeMax > 1 ? 1 : 0, priority };
}

type Opening = {
	service: ServiceDefinition;
	options: StartOptions;
	log: Logger;
	stops: Array<() => Promise<void>>;
};

/** Opens the services outside of the database. It waits for none of them. */
async function openOutside(settings: CommonSettings, { service: { name }, options, log, stops }: Opening) {
	const tracing = await openTracingOf(settings, { name, log });
	if (tracing !== undefined) stops.push(() => tracing.close());
	const { transport = withAddress("NATS_URL", name, () => openTransport(settings, { name, log })) } = options;
	if (options.transport === undefined) stops.push(() => transport.close());
	const sharedCounts = withAddress("REDIS_URL", name, () => openCounts(settings, { name, log }));
	if (sharedCounts !== undefined) stops.push(() => sharedCounts.close());
	return { transport, sharedCounts, tracer: tracing?.tracer };
}

/** Opening fails only for an invalid address. An unreachable server is retried. */
function withAddress<T>(setting: string, name: string, open: () => T): T {
	try {
		return open();
	} catch (cause) {
		throw new StartFault(
			`${name}: ${setting} is not an address. Correct it, or unset it to do without.`,
			cause,
		);
	}
}

type OperationParts = { hasConsumers: boolean; db: Pool; now: () => Date };

/** The platform owner's routes for failed events and jobs, as far as the service has these. */
const operationRoutes = (
	{ name: service, jobs, recordPlatformAction }: ServiceDefinition,
	{ hasConsumers, db, now }: OperationParts,
): readonly Route[] => [
	...(hasConsumers ? deadLetterRoutes({ service, db, now, recordPlatformAction }) : []),
	...(jobs?.length ? deadJobRoutes({ service, db, now, recordPlatformAction }) : []),
];

/**
 * Builds a service and listens. While the database is unreachable, the start is retried. Throws
 * StartFault, which names the service, the setting and the remedy, and any other error for a bug.
 */
export async function startService(
	service: ServiceDefinition,
	options: StartOptions,
): Promise<RunningService> {
	return listenOn(service, options).catch((error) => {
		throw error instanceof SettingsError ? explainSettings(service.name, error) : error;
	});
}

async function listenOn(service: ServiceDefinition, options: StartOptions): Promise<RunningService> {
	const { name } = service;
	const { port, host, databaseUrl, logLevel } = readSettings(
		settingsOf(service),
		options.environment,
	) as CommonSettings & Record<string, unknown>;
	const { log = createLog(name, logLevel, options.logTo), signal } = options;
	const place = { service: name, setting: `${name.toUpperCase()}_DATABASE_URL`, url: databaseUrl };
	requireDatabaseAddress(place);
	const build = () => buildService(service, options);
	const { app, close, ...built } = await whenReachable(build, { log, signal }).catch((error) => {
		throw explainDatabase(error, place);
	});
	try {
		await app.listen({ port, host });
		const address = app.server.address();
		const bound = typeof address === "object" && address !== null ? address.port : port;
		const url = `http://${host === "0.0.0.0" ? "localhost" : host}:${bound}`;
		return { name, url, leave: built.leave, close };
	} catch (error) {
		await close();
		throw explainListen(error, { service: name, port, host });
	}
}

type Watched = Pick<Context, "db" | "transport" | "sharedCounts">;

function checksOf(
	{ name, known }: { name: string; known: readonly KnownMigration[] },
	{ db, transport, sharedCounts }: Watched,
): ReadinessChecks {
	const first = db.lane("check");
	const checks: ReadinessChecks = new Map([
		["database", vital(async () => void (await first.query("select 1")))],
		["migrations", vital(() => requireMigrations(first, { name, known }))],
		// Without the bus requests are served as usual; their events wait in the outbox.
		["bus", { check: () => transport.check(), isVital: false }],
	]);
	// While Redis is unavailable, limits are counted in this process.
	if (sharedCounts !== undefined) checks.set("limits", { check: () => sharedCounts.check(), isVital: false });
	return checks;
}

function openCounts({ redisUrl: url }: CommonSettings, { name, log }: { name: string; log: Logger }) {
	if (url === undefined) return undefined;
	const onError = (err: unknown, about: string) =>
		err === undefined ? log.info(about) : log.warn({ err, setting: "REDIS_URL" }, about);
	return openSharedCounts({ url, name, onError });
}

const vital = (check: () => Promise<void>) => ({ check, isVital: true });

type KnownMigration = { set: string; file: string };

/** The migrations of this program, read once: files replaced later belong to another release. */
async function listMigrations({ migrations }: ServiceDefinition): Promise<KnownMigration[]> {
	const sets = await Promise.all(migrations.map(readMigrations));
	return sets.flat().map(({ set, file }) => ({ set, file }));
}

/** Waits for the database, and compares its migrations with those of this program. */
async function findTables(
	service: ServiceDefinition,
	{ db, ...waiting }: { db: Pool; log: Logger; signal: AbortSignal | undefined },
): Promise<KnownMigration[]> {
	const known = await listMigrations(service);
	await whenReachable(async () => {
		await requireCluster(db, service.name);
		await requireMigrations(db, { name: service.name, known });
	}, waiting);
	return known;
}

async function requireCluster(db: Database, name: string): Promise<void> {
	const { fault } = await readCluster(db);
	if (fault !== undefined) throw new StartFault(`${name}: ${fault}`);
}

async function requireMigrations(
	db: Database,
	{ name, known }: { name: string; known: readonly KnownMigration[] },
): Promise<void> {
	const { pending, tooNew } = await compareMigrations(db, known);
	const prefix = name.toUpperCase();
	if (pending.length > 0)
		throw new StartFault(
			`${name}: the database lacks ${pending.join(", ")}. Apply the migrations: npm run migrate -- ${name}, with the owner's address in ${prefix}_MIGRATION_DATABASE_URL.`,
		);
	if (tooNew.length > 0)
		throw new StartFault(
			`${name}: the database is newer than this program: ${tooNew.join(", ")}. Start the version that made them, or set ${prefix}_DATABASE_URL to another database.`,
		);
}

async function startEvents(
	context: Context,
	{ name, consumers, tracer }: { name: string; consumers: readonly Consumer[]; tracer: Tracer | undefined },
): Promise<void> {
	const { db, transport, now, log } = context;
	const onError = (error: unknown, about: string) => log.error({ err: error, about }, "event");
	const effects = measureEffects(
		context,
		consumers.map(({ eventType }) => eventType.type),
	);
	const eventOptions = { db, transport, onError, tracer, keys: keysOf(context.settings) };
	const consuming = await startConsumers({ ...eventOptions, service: name, consumers, ...effects });
	if (consumers.length > 0) measureUnread(context, name);
	context.onStop(() => consuming.stop());
	const relay = startRelay({ ...eventOptions, now });
	context.onStop(() => relay.stop());
}

/** The key-encryption keys of a service that declares the setting `keyEncryptionKeys`. */
function keysOf({ keyEncryptionKeys }: { keyEncryptionKeys?: unknown }): KeyEncryptionKeys | undefined {
	return keyEncryptionKeys instanceof Secret ? readKeyEncryptionKeys(keyEncryptionKeys.reveal()) : undefined;
}

/**
 * Stops listening and waits for requests in progress; after the time limit they are aborted. A connection
 * is closed as soon as it is idle, because it would otherwise be kept open for a next request.
 */
async function drained(app: FastifyInstance, log: Logger): Promise<void> {
	const closingIdle = setInterval(() => app.server.closeIdleConnections(), idleCheckMs);
	const cut = setTimeout(() => {
		log.warn("requests aborted after 10 s");
		app.server.closeAllConnections();
	}, drainMs);
	await app.close();
	clearInterval(closingIdle);
	clearTimeout(cut);
}
