import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { migrate, prepareDatabase, withAdmin } from "@lango/postgres";
import { startTestIssuer, testTenant } from "@lango/testkit";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { nodeFlags } from "../../tools/up/service-process.ts";
import { type Cores, moveTo, processorMsOf, splitCores } from "../sign-on/cores.ts";
import { startWorker } from "../sign-on/driver.ts";
import { type Running, startServer, stopChild } from "../sign-on/processes.ts";
import { claimsOf } from "./claims.ts";
import { stock } from "./domain-process.ts";
import { limitRequests } from "./limits.store.ts";
import type { Job, Outcome } from "./load-process.ts";
import type { Options } from "./options.ts";
import { thing, thingPath } from "./things.ts";

const path = join(import.meta.dirname, "../../.lango/bench-postgres");
const tenant = testTenant("duka-mart");
/** Unused: reads need no subscription. */
const unusedKey = "lk_benchbenchbench_benchbenchbenchbenchbenchbenchbench";

/** An outcome with the processor time of the server per request, in microseconds. */
export type Measured = Outcome & { serverUs: number };
export type Target = { name: string; running: Running };

/** PostgreSQL, the issuer and the driver. Servers are started when they are needed. */
export type Stage = {
	options: Options;
	cores: Cores;
	/** Starts the chassis with its own database, with the limiter or without limits in its table. */
	startDomain(how: { isLimited: boolean; isObserved: boolean }): Promise<Target>;
	startOther(other: Other): Promise<Target>;
	/** The headers of our responses, as constants. */
	headersOf(target: Target): Promise<string>;
	drive(target: Target, how: How): Promise<Measured>;
	/** Different tokens of the caller. */
	mintTokens(count: number): string[];
	close(): Promise<void>;
};

type How = Pick<Job, "seconds" | "settleSeconds"> & Partial<Pick<Job, "tokens" | "requests" | "connections">>;

/** A peer or a floor. */
export type Other = {
	name: string;
	program: string;
	environment?: Record<string, string>;
	isObserved?: boolean;
};

/** Opens the stage. Close it by `close`, which also removes the database. */
export async function openStage(options: Options): Promise<Stage> {
	const cores = splitCores(options.isPinned);
	await removeCluster(path);
	const cluster = await startCluster({ path, settings: {}, signal: new AbortController().signal });
	const stops: Array<() => Promise<void>> = [() => removeCluster(path), () => cluster.stop()];
	const close = async () => {
		for (const stop of stops.toReversed()) await stop();
	};
	try {
		moveTo(cores, cluster.pid, cores.rest);
		const issuer = await startTestIssuer();
		stops.push(() => issuer.close());
		issuer.tenants.push(tenant);
		const driver = startWorker("../chassis/load-process.ts", cores, cores.rest);
		stops.push(() => stopChild(driver.child));
		const sub = randomUUID();
		const mint = () => issuer.token(claimsOf({ sub, tenant }));
		const token = mint();
		const start = async (server: Omit<Parameters<typeof startServer>[0], "cores" | "on" | "flags">) => {
			const { isProfiled } = options;
			const running = await startServer({ ...server, cores, on: cores.server, flags: nodeFlags, isProfiled });
			stops.push(running.stop);
			return { name: server.name, running };
		};
		const ask = ({ running }: Target) =>
			fetch(`${running.url}${thingPath(tenant.slug)}`, { headers: { authorization: `Bearer ${token}` } });
		return {
			options,
			cores,
			close,
			startDomain: (how) => startDomain({ start, adminUrl: cluster.adminUrl, authUrl: issuer.url }, how),
			startOther: ({ name, program, environment = {}, isObserved = false }) =>
				start({
					name,
					program: `bench/chassis/${program}`,
					readyPath: "/healthz",
					environment: ({ port }) => ({
						...environment,
						PORT: String(port),
						ISSUER: issuer.url,
						AUDIENCE: "lango",
					}),
					isMuted: isObserved,
				}),
			headersOf: async (target) => constantHeaders(await ask(target)),
			drive: (target, how) =>
				give(driver, target, {
					url: `${target.running.url}${thingPath(tenant.slug)}`,
					tokens: [token],
					body: JSON.stringify(thing),
					connections: options.connections,
					...how,
				}),
			mintTokens: (count) => Array.from({ length: count }, mint),
		};
	} catch (error) {
		await close();
		throw error;
	}
}

type Starting = {
	start: (server: Omit<Parameters<typeof startServer>[0], "cores" | "on" | "flags">) => Promise<Target>;
	adminUrl: string;
	authUrl: string;
};

async function startDomain(
	{ start, adminUrl, authUrl }: Starting,
	{ isLimited, isObserved }: { isLimited: boolean; isObserved: boolean },
): Promise<Target> {
	const name = ["chassis", isLimited && "limited", isObserved && "observed"].filter(Boolean).join("_");
	const database = `bench_${name}`;
	const { owner, app } = await prepareDatabase(adminUrl, database);
	await migrate(owner, stock.migrations);
	await withAdmin(adminUrl.replace(/\/[^/]*$/, `/${database}`), (admin) => limitRequests(admin, isLimited));
	return start({
		name,
		program: "bench/chassis/domain-process.ts",
		readyPath: "/readyz",
		environment: ({ port }) => ({
			STOCK_PORT: String(port),
			STOCK_DATABASE_URL: app,
			AUTH_URL: authUrl,
			STOCK_SNAPSHOT_READ_KEY: unusedKey,
			LOG_LEVEL: isObserved ? "info" : "warn",
		}),
		isMuted: isObserved,
	});
}

/** Headers that each server adds by itself. */
const ownOfServer: ReadonlySet<string> = new Set([
	"connection",
	"content-length",
	"content-type",
	"date",
	"keep-alive",
	"transfer-encoding",
]);

async function constantHeaders(answer: Response): Promise<string> {
	const text = await answer.text();
	if (answer.status !== 200) throw new Error(`the chassis returned ${answer.status}: ${text.slice(0, 300)}`);
	return JSON.stringify(Object.fromEntries([...answer.headers].filter(([name]) => !ownOfServer.has(name))));
}

async function give(
	{ ask }: ReturnType<typeof startWorker>,
	{ running }: Target,
	job: Job,
): Promise<Measured> {
	const before = processorMsOf(running.pid);
	const { result, error } = await ask<{ result: Outcome; error?: string }>(job);
	if (error !== undefined) throw new Error(error);
	return { ...result, serverUs: ((processorMsOf(running.pid) - before) * 1_000) / result.total };
}
