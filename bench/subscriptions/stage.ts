import { join } from "node:path";
import { eventMigrations } from "@lango/events";
import { migrate, prepareDatabase } from "@lango/postgres";
import { hasBus, startTestBus, startTestIssuer } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { type Cluster, removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { parts } from "../../tools/up.ts";
import { type Cores, moveTo, processorMsOf, splitCores } from "../sign-on/cores.ts";
import { startWorker } from "../sign-on/driver.ts";
import { type Running, startServer, stopChild } from "../sign-on/processes.ts";
import { statementsCounted } from "../sign-on/stage.ts";
import { fillSubscriptions, tenantIdOf } from "./installation.store.ts";
import type { Job, Outcome } from "./load-process.ts";
import type { Options } from "./options.ts";

const path = join(import.meta.dirname, "../../.lango/bench-postgres");

/** The service and its floors on one PostgreSQL with the tenants. */
export type Stage = {
	options: Options;
	cores: Cores;
	apiKey: string;
	adminUrl: string;
	appUrl: string;
	/** The URLs of the service and of the floors. */
	service: string;
	constant: string;
	row: string;
	/** The base URL of the subscription service. */
	subscriptionsUrl: string;
	/** Undefined without a nats-server. */
	bus: { url: string } | undefined;
	/** A new token of a superuser of the platform owner. */
	platformToken(): string;
	/** Runs a load over HTTP from another core. */
	drive(job: Given): Promise<Measured>;
	/** Calls the function from the core of the service. */
	callSql(job: Omit<Given, "kind">): Promise<Measured>;
	close(): Promise<void>;
};

/** A load; by default its first second does not count. */
type Given = Omit<Job, "settleSeconds" | "apiKey"> & { settleSeconds?: number };

/**
 * A result with the processor time per request of the server (or of the caller) and of PostgreSQL, in
 * microseconds.
 */
export type Measured = Outcome & { ownUs: number; databaseUs: number };

/** Opens the stage. Close it by `close`, which also removes the database. */
export async function openStage(options: Options): Promise<Stage> {
	const cores = splitCores(options.isPinned);
	await removeCluster(path);
	const settings = options.isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	const stops: Array<() => Promise<void>> = [() => removeCluster(path), () => cluster.stop()];
	const close = async () => {
		for (const stop of stops.toReversed()) await stop();
	};
	try {
		moveTo(cores, cluster.pid, cores.rest);
		const driver = startWorker("../subscriptions/load-process.ts", cores, cores.rest);
		const caller = startWorker("../subscriptions/load-process.ts", cores, cores.server);
		stops.push(
			...[driver, caller].map(
				({ child }) =>
					() =>
						stopChild(child),
			),
		);
		const database = await install(cluster.adminUrl);
		const { issuer, bus } = await startAround(stops);
		const apiKey = mintApiKey().text;
		const start = async (server: Omit<Parameters<typeof startServer>[0], "cores" | "on">) => {
			const running = await startServer({
				...server,
				cores,
				on: cores.server,
				isProfiled: options.isProfiled,
			});
			stops.push(running.stop);
			return running;
		};
		const service = await startSubscriptions(start, {
			database: database.app,
			apiKey,
			options,
			environment: { AUTH_URL: issuer.url, ...(bus !== undefined && { NATS_URL: bus.url }) },
		});
		await fillSubscriptions(database.admin, options.tenants);
		const floors = await settingsOfFloors({ options, cluster, database, apiKey, service });
		const { row, constant, floorPid } = await startFloors(start, floors);
		const driveBy = (worker: typeof driver, job: Given, pid: number) =>
			give(worker, { settleSeconds: 1, ...job, apiKey }, { pid, databasePid: cluster.pid });
		return {
			options,
			cores,
			apiKey,
			adminUrl: database.admin,
			appUrl: database.app,
			subscriptionsUrl: service.url,
			bus,
			platformToken: () => issuer.token(platformOwner),
			service: `${service.url}/api/v1/tenants/{tenant}`,
			constant,
			row,
			drive: (job) => driveBy(driver, job, job.url.startsWith(service.url) ? service.pid : floorPid),
			callSql: (job) => driveBy(caller, { ...job, kind: "sql" }, caller.child.pid ?? 0),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** The environment of the floors and the body of the constant. */
async function settingsOfFloors(around: {
	options: Options;
	cluster: Cluster;
	database: Awaited<ReturnType<typeof install>>;
	apiKey: string;
	service: Awaited<ReturnType<typeof startSubscriptions>>;
}): Promise<Parameters<typeof startFloors>[1]> {
	const { options, cluster, database, apiKey, service } = around;
	return {
		snapshot: await readSnapshot(service.url, apiKey),
		environment: {
			DATABASE_URL: database.admin,
			CONSTANT_DATABASE_URL: await installConstant(cluster.adminUrl),
			DATABASE_CONNECTIONS: String(options.databaseConnections),
			API_KEY: apiKey,
		},
	};
}

const platformOwner = {
	tenant_id: tenantIdOf(0),
	tenant_slug: "lango",
	email: "root@lango.example",
	roles: ["superuser"],
};

type Start = (server: Omit<Parameters<typeof startServer>[0], "cores" | "on">) => Promise<Running>;

/** Starts the issuer of tokens, and the bus if there is a nats-server. */
async function startAround(stops: Array<() => Promise<void>>) {
	const issuer = await startTestIssuer();
	stops.push(() => issuer.close());
	const bus = hasBus() ? await startTestBus() : undefined;
	if (bus !== undefined) stops.push(() => bus.stop());
	return { issuer, bus };
}

type Serving = { database: string; apiKey: string; options: Options; environment: Record<string, string> };

/** Starts the service as in production. */
function startSubscriptions(start: Start, serving: Serving): Promise<Running> {
	const { database, apiKey, options, environment } = serving;
	return start({
		name: "subscriptions",
		program: "services/subscriptions/src/main.ts",
		readyPath: "/healthz",
		environment: ({ port }) => ({
			...environment,
			SUBSCRIPTIONS_PORT: String(port),
			SUBSCRIPTIONS_DATABASE_URL: database,
			SUBSCRIPTIONS_DATABASE_CONNECTIONS_MAX: String(options.databaseConnections),
			SUBSCRIPTIONS_API_KEYS: `bench:snapshot.read+usage.report:${apiKey}`,
			// The default of the setting, unless --spread is given: every tenant of the consumption is cached.
			SUBSCRIPTIONS_TENANTS_HELD_MAX: String(options.spread),
			LOG_LEVEL: "warn",
		}),
	});
}

/** Starts the floors. The constant is the snapshot of the first tenant. */
async function startFloors(
	start: Start,
	{ snapshot, environment }: { snapshot: string; environment: Record<string, string> },
): Promise<{ row: string; constant: string; floorPid: number }> {
	let constantPort = 0;
	const floor = await start({
		name: "subscriptions-floor",
		program: "bench/subscriptions/floor-process.ts",
		readyPath: "/healthz",
		environment: ({ port }) => {
			constantPort = port + 1;
			return { ...environment, PORT: String(port), CONSTANT_PORT: String(constantPort), SNAPSHOT: snapshot };
		},
	});
	return {
		row: `${floor.url}/row/{tenant}`,
		constant: `http://localhost:${constantPort}/constant/{tenant}`,
		floorPid: floor.pid,
	};
}

async function readSnapshot(service: string, apiKey: string): Promise<string> {
	const address = `${service}/api/v1/tenants/${tenantIdOf(1)}/subscription`;
	const answer = await fetch(address, {
		headers: { "x-api-key": apiKey },
		signal: AbortSignal.timeout(10_000),
	});
	const text = await answer.text();
	if (answer.status !== 200) throw new Error(`the service returned ${answer.status}: ${text.slice(0, 300)}`);
	return text;
}

async function give(
	{ ask }: ReturnType<typeof startWorker>,
	job: Job,
	{ pid, databasePid }: { pid: number; databasePid: number },
): Promise<Measured> {
	const [own, database] = [processorMsOf(pid), processorMsOf(databasePid)];
	const { result, error } = await ask<{ result: Outcome; error?: string }>(job);
	if (error !== undefined) throw new Error(error);
	const each = (ms: number) => (ms * 1_000) / result.total;
	return {
		...result,
		ownUs: each(processorMsOf(pid) - own),
		databaseUs: each(processorMsOf(databasePid) - database),
	};
}

async function installConstant(adminUrl: string): Promise<string> {
	const { owner, app } = await prepareDatabase(adminUrl, "bench_constant");
	await migrate(owner, [eventMigrations]);
	return app;
}

async function install(adminUrl: string): Promise<{ app: string; admin: string }> {
	const service = parts.services.map((part) => part.service).find((one) => one.name === "subscriptions");
	if (service === undefined) throw new Error("there is no subscription service");
	const { owner, app } = await prepareDatabase(adminUrl, "bench_subscriptions");
	await migrate(owner, service.migrations);
	const admin = new URL(adminUrl);
	admin.pathname = "/bench_subscriptions";
	return { app, admin: admin.toString() };
}
