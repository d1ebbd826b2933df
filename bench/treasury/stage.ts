import { fork } from "node:child_process";
import { join } from "node:path";
import { migrate, prepareDatabase } from "@lango/postgres";
import { startTestIssuer, startTestSubscriptions, testSubscription, testTenant } from "@lango/testkit";
import pg from "pg";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { parts } from "../../tools/up.ts";
import { limitRequests } from "../chassis/limits.store.ts";
import { databaseAt } from "../database-at.ts";
import { type Cores, moveTo, processorMsOf, splitCores } from "../sign-on/cores.ts";
import { startWorker } from "../sign-on/driver.ts";
import { type Running, type ServerOptions, startServer, stopChild } from "../sign-on/processes.ts";
import { statementsCounted } from "../sign-on/stage.ts";
import type { Ran, Run, RunAnswer } from "./answer-runs.ts";
import { secretKey } from "./charge.ts";
import { createFloorOfWebhooks } from "./charges.store.ts";
import { addTenants, createFloor } from "./floor.store.ts";
import type { Options } from "./options.ts";
import type { Job, Outcome } from "./webhook-process.ts";

const root = join(import.meta.dirname, "../..");
const path = join(root, ".lango/bench-postgres");
/** The database of the measured service. */
export const database = "bench_treasury";

/**
 * The result of a run of all processes; `databaseUs` is the processor time of PostgreSQL for one
 * transaction.
 */
export type Measured = Pick<Ran, "p50" | "p95"> & { perSecond: number; databaseUs: number };
/** A run of webhooks with the processor time for each, of the server and of PostgreSQL, in microseconds. */
export type Sent = Outcome & { ownUs: number; databaseUs: number };
/** Processes with one program. */
export type Workers = { run(run: Omit<Run, "connections">): Promise<Measured>; stop(): Promise<void> };

/** The running service, with tokens of the platform's superuser and of an administrator of a tenant. */
export type Treasury = Running & Pick<Around, "customer" | "customerToken" | "operatorToken">;
type Around = Awaited<ReturnType<typeof startAround>>;

/** PostgreSQL with the database of the service. Programs start when they are needed. */
export type Stage = {
	options: Options;
	admin: pg.Client;
	adminUrl: string;
	/** The database with the role of the service. */
	appUrl: string;
	/** The tenants, of which each has a row in the service's database and balances of the floor. */
	tenants: readonly string[];
	cores: Cores;
	/** The process of PostgreSQL. */
	databasePid: number;
	/** Starts the service, or a floor, on the core for servers. */
	startService(gateway?: { mobileMoneyUrl: string }): Promise<Treasury>;
	startFloor(program: string, environment?: Record<string, string>): Promise<Running>;
	/** Sends webhooks to a server. PostgreSQL and the driver use the other cores. */
	sendWebhooks(to: Running, job: Omit<Job, "url">): Promise<Sent>;
	/**
	 * Starts processes of a program, relative to the root. Each gets the address, its connections, and
	 * `words`.
	 */
	startWorkers(program: string, url: string, words?: readonly string[]): Workers;
	close(): Promise<void>;
};

/** Opens the stage. Close it by `close`, which also removes the databases. */
export async function openStage(options: Options): Promise<Stage> {
	await removeCluster(path);
	const settings = options.isProfiled ? statementsCounted : {};
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	const stops: Array<() => Promise<unknown>> = [() => removeCluster(path), () => cluster.stop()];
	const close = async () => {
		for (const stop of stops.toReversed()) await stop();
	};
	try {
		const { owner, app: appUrl } = await prepareDatabase(cluster.adminUrl, database);
		await migrate(owner, serviceOfBench().migrations);
		const adminUrl = databaseAt(cluster.adminUrl, database);
		const admin = new pg.Client({ connectionString: adminUrl });
		await admin.connect();
		stops.push(() => admin.end());
		await limitRequests(admin, true);
		const tenants = await addTenants(admin, options.tenants);
		await createFloor(admin, tenants);
		await createFloorOfWebhooks(admin);
		const startWorkers: Stage["startWorkers"] = (program, url, words = []) => {
			const workers = openWorkers({
				program,
				words: [url, String(options.connections), ...words],
				options,
				pid: cluster.pid,
			});
			stops.push(workers.stop);
			return workers;
		};
		const cores = splitCores(options.isPinned);
		const servers = openServers({ options, cores, stops, appUrl, adminUrl, databasePid: cluster.pid });
		const databasePid = cluster.pid;
		return {
			...{ options, cores, admin, adminUrl, appUrl, tenants, databasePid, close, startWorkers },
			...servers,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

function serviceOfBench() {
	const part = parts.services.find(({ service }) => service.name === "treasury");
	if (part === undefined) throw new Error("there is no treasury");
	return part.service;
}

type Surroundings = Pick<Stage, "options" | "cores" | "appUrl" | "adminUrl"> & {
	databasePid: number;
	stops: Array<() => Promise<unknown>>;
};

function openServers(around: Surroundings): Pick<Stage, "startService" | "startFloor" | "sendWebhooks"> {
	const { options, cores, stops, databasePid } = around;
	let driver: ReturnType<typeof startWorker> | undefined;
	const openDriver = () => {
		moveTo(cores, databasePid, cores.rest);
		const opened = startWorker("../treasury/webhook-process.ts", cores, cores.rest);
		stops.push(() => stopChild(opened.child));
		return opened;
	};
	const start = async (server: Pick<ServerOptions, "name" | "program" | "readyPath" | "environment">) => {
		const { isProfiled } = options;
		const running = await startServer({ ...server, cores, on: cores.server, isProfiled });
		stops.push(running.stop);
		return running;
	};
	const startFloor = (program: string, more: Record<string, string> = {}) => {
		moveTo(cores, databasePid, cores.rest);
		return start({
			...{ name: "floor", program: `bench/treasury/${program}`, readyPath: "/healthz" },
			environment: ({ port }) => ({
				...{ PORT: String(port), DATABASE_URL: around.adminUrl, ...more },
				DATABASE_CONNECTIONS: String(options.databaseConnections),
			}),
		});
	};
	return {
		startService: async (gateway) => {
			const { environment, close, ...beside } = await startAround();
			stops.push(close);
			const running = await start({
				...{ name: "treasury", program: "services/treasury/src/main.ts", readyPath: "/readyz" },
				environment: ({ port, url }) => ({
					...environmentOf({ ...around, environment, port }),
					...(gateway !== undefined && settingsOfSandbox(gateway.mobileMoneyUrl, url)),
				}),
			});
			return { ...running, ...beside };
		},
		startFloor,
		sendWebhooks: async (to, job) => {
			driver ??= openDriver();
			const [own, database] = [processorMsOf(to.pid), processorMsOf(databasePid)];
			const { result, error } = await driver.ask<{ result: Outcome; error?: string }>({
				...job,
				url: to.url,
			});
			if (error !== undefined) throw new Error(error);
			const each = (before: number, pid: number) => ((processorMsOf(pid) - before) * 1_000) / result.total;
			return { ...result, ownUs: each(own, to.pid), databaseUs: each(database, databasePid) };
		},
	};
}

/** The issuer and the subscription service, which the treasury reads. */
async function startAround() {
	const [issuer, subscriptions] = [await startTestIssuer(), await startTestSubscriptions()];
	const lango = testTenant("lango");
	issuer.tenants.push(lango);
	const customer = testTenant("uhai");
	issuer.tenants.push(customer);
	subscriptions.records.set(customer.id, testSubscription(customer.id, { products: ["treasury"] }));
	const tokenOf = ({ id, slug }: typeof lango, role: string) =>
		issuer.token({
			...{ tenant_id: id, tenant_slug: slug, roles: [role], name: role },
			email: `${role}@${slug}.example`,
		});
	return {
		customer,
		operatorToken: () => tokenOf(lango, "superuser"),
		customerToken: () => tokenOf(customer, "admin"),
		environment: {
			...{ AUTH_URL: issuer.url, SUBSCRIPTIONS_URL: subscriptions.url },
			TREASURY_SNAPSHOT_READ_KEY: subscriptions.apiKey,
			TREASURY_USAGE_REPORT_KEY: subscriptions.apiKey,
		},
		close: () => Promise.all([issuer.close(), subscriptions.close()]),
	};
}

/** A gateway on this machine is refused in production. Keys are those of `services/treasury/test/till.ts`. */
const settingsOfSandbox = (mobileMoneyUrl: string, url: string): Record<string, string> => ({
	...{ NODE_ENV: "test", MOBILE_MONEY_URL: mobileMoneyUrl, HTTP_PUBLIC_BASE_URL: url },
	TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
});

/** The settings of the measured service. */
export const environmentOf = ({
	options,
	appUrl,
	environment,
	port,
}: Pick<Surroundings, "appUrl"> & {
	options: Pick<Options, "databaseConnections">;
	environment: Record<string, string>;
	port: number;
}): Record<string, string> => ({
	...environment,
	...{ TREASURY_PORT: String(port), TREASURY_DATABASE_URL: appUrl },
	TREASURY_DATABASE_CONNECTIONS_MAX: String(options.databaseConnections),
	TREASURY_KEY_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
	...{ CARDGW_SECRET_KEY: secretKey, TREASURY_SPOOL_DIR: join(root, ".lango/bench-spool") },
	...{ LANGO_CONNECTIONS_MAX: "20000", LANGO_CONNECTIONS_PER_ADDRESS_MAX: "0", LOG_LEVEL: "warn" },
});

/** What processes run; `pid` is PostgreSQL's, whose processor time is measured. */
type Opening = {
	program: string;
	words: readonly string[];
	options: Pick<Options, "processes" | "connections">;
	pid: number;
};

/** Starts processes that answer runs (`answer-runs.ts`). */
export function openWorkers({ program, words, options, pid }: Opening): Workers {
	const children = Array.from({ length: options.processes }, () =>
		fork(join(root, program), [...words], {
			...{ cwd: root, execArgv: nodeFlags },
			env: { PATH: process.env["PATH"], NODE_ENV: "production" },
		}),
	);
	const ask = (child: (typeof children)[number], run: Run) =>
		new Promise<Ran>((done, fail) => {
			const ended = () => fail(new Error(`${program} has ended`));
			child.once("exit", ended);
			child.once("message", (answer: RunAnswer) => {
				child.off("exit", ended);
				if ("error" in answer) fail(new Error(`${program}: ${answer.error}`));
				else done(answer.result);
			});
			child.send(run);
		});
	return {
		async run(run) {
			const before = processorMsOf(pid);
			const ran = await Promise.all(
				children.map((child) => ask(child, { ...run, connections: options.connections })),
			);
			const transactions = ran.reduce((sum, one) => sum + one.transactions, 0);
			return {
				perSecond: ran.reduce((sum, one) => sum + (one.transactions * 1_000) / one.ms, 0),
				p50: Math.max(...ran.map((one) => one.p50)),
				p95: Math.max(...ran.map((one) => one.p95)),
				databaseUs: ((processorMsOf(pid) - before) * 1_000) / transactions,
			};
		},
		stop: async () => {
			for (const child of children) await stopChild(child);
		},
	};
}
