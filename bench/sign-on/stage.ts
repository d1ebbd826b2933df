import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { migrate, prepareDatabase, withAdmin } from "@lango/postgres";
import { mintApiKey } from "@lango/tokens";
import { removeCluster, startCluster } from "../../tools/postgres/cluster.ts";
import { parts } from "../../tools/up.ts";
import { databaseAt } from "../database-at.ts";
import { type Cores, moveTo, splitCores } from "./cores.ts";
import { type Driver, startDriver } from "./driver.ts";
import type { Seed } from "./driver-process.ts";
import type { Target } from "./flows.ts";
import {
	emailOf,
	type FilledSession,
	fillInstallation,
	fillSessions,
	findTenantIds,
	type Size,
	slugOf,
	tenantOf,
} from "./installation.store.ts";
import { compared, type Options, small } from "./options.ts";
import { hashPassword } from "./password.ts";
import { type Running, startServer } from "./processes.ts";
import { refreshTokensOf } from "./refresh-token.ts";

const path = join(import.meta.dirname, "../../.lango/bench-postgres");
const key = { id: "bench", bytes: randomBytes(32) };
const makeRefreshToken = refreshTokensOf(key.id, key.bytes);

/** A filled database of the sign-on service. */
export type Installation = {
	name: string;
	size: Size;
	appUrl: string;
	adminUrl: string;
	fill: { seconds: number; megabytes: number };
};

/** The options that a stage needs. */
export type StageOptions = Pick<Options, "databaseConnections" | "isPinned" | "isProfiled">;

/** The basis of all parts: one PostgreSQL, the driver, and a test double of the subscription service. */
export type Stage<Chosen extends StageOptions = Options> = {
	options: Chosen;
	cores: Cores;
	driver: Driver;
	databasePid: number;
	adminUrl: string;
	small: Installation;
	/** Lets server, driver and database use every core, or separates them again. */
	spread(over: "all" | "split", server: Running): void;
	/** `issuer`: the URL of the first process if this one is its replica. */
	startLango(on: Installation, issuer?: string): Promise<Running>;
	startOther(other: Other): Promise<Running>;
	install(name: string, size: Size): Promise<Installation>;
	close(): Promise<void>;
};

/** Settings that count statements, including those inside functions. */
export const statementsCounted = {
	shared_preload_libraries: "pg_stat_statements",
	"pg_stat_statements.track": "all",
	"pg_stat_statements.track_planning": "on",
};

/** Opens the stage. Close it by `close`, which also removes the database. */
export async function openStage<Chosen extends StageOptions>(
	options: Chosen,
	settings: Readonly<Record<string, string>> = options.isProfiled ? statementsCounted : {},
): Promise<Stage<Chosen>> {
	const cores = splitCores(options.isPinned);
	await removeCluster(path);
	const cluster = await startCluster({ path, settings, signal: new AbortController().signal });
	const stops: Array<() => Promise<void>> = [() => removeCluster(path), () => cluster.stop()];
	const close = async () => {
		for (const stop of stops.toReversed()) await stop();
	};
	try {
		moveTo(cores, cluster.pid, cores.rest);
		const driver = startDriver(cores);
		stops.push(() => driver.stop());
		const start = async (server: Parameters<typeof startServer>[0]) => {
			const running = await startServer({ ...server, isProfiled: options.isProfiled });
			stops.push(running.stop);
			return running;
		};
		const subscriptions = await start({
			name: "subscriptions",
			program: "bench/sign-on/subscriptions-process.ts",
			readyPath: "/healthz",
			environment: ({ port }) => ({ PORT: String(port) }),
			cores,
			on: cores.rest,
		});
		const { adminUrl } = cluster;
		const starting = { options, cores, adminUrl, start };
		return {
			options,
			cores,
			driver,
			databasePid: cluster.pid,
			adminUrl,
			close,
			small: await installInUse(adminUrl, "bench_small", small),
			install: (name, size) => install(adminUrl, name, size),
			startLango: (on, issuer) => startLango(starting, on, { issuer, subscriptionsUrl: subscriptions.url }),
			startOther: (other) => startOther(starting, other),
			spread: (over, server) => {
				moveTo(cores, server.pid, over === "all" ? cores.all : cores.server);
				for (const pid of [cluster.pid, driver.pid])
					moveTo(cores, pid, over === "all" ? cores.all : cores.rest);
			},
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** Creates and fills a database of the sign-on service. */
export async function install(adminUrl: string, name: string, size: Size): Promise<Installation> {
	const service = parts.services.map((part) => part.service).find((one) => one.name === "auth");
	if (service === undefined) throw new Error("there is no sign-on service");
	const { owner, app } = await prepareDatabase(adminUrl, name);
	await migrate(owner, service.migrations);
	const url = databaseAt(adminUrl, name);
	const fill = await fillInstallation(url, size, await hashPassword("Karibu-2026!"));
	return { name, size, appUrl: app, adminUrl: url, fill };
}

/**
 * An installation in which all people are signed in: with few sessions PostgreSQL would choose other plans.
 */
async function installInUse(adminUrl: string, name: string, size: Size): Promise<Installation> {
	const installation = await install(adminUrl, name, size);
	await signInPeople(installation, drawPeople(size, size.people));
	return installation;
}

type Starting = {
	options: StageOptions;
	cores: Cores;
	adminUrl: string;
	start: (server: Parameters<typeof startServer>[0]) => Promise<Running>;
};

/** Starts our sign-on service by its own program. It logs no line per request, like the others. */
function startLango(
	{ options, cores, start }: Starting,
	on: Installation,
	{ issuer, subscriptionsUrl }: { issuer: string | undefined; subscriptionsUrl: string },
) {
	return start({
		name: `lango-${on.name}${issuer === undefined ? "" : "-replica"}`,
		program: "services/auth/src/main.ts",
		readyPath: "/readyz",
		environment: ({ port, url }) => ({
			...langoEnvironment({ port, url: issuer ?? url, databaseUrl: on.appUrl, subscriptionsUrl }),
			AUTH_DATABASE_CONNECTIONS_MAX: String(options.databaseConnections),
		}),
		cores,
		on: cores.server,
	});
}

/**
 * The settings of the sign-on service; its refresh tokens are derived from the key of the filled sessions.
 */
export const langoEnvironment = ({
	port,
	url,
	databaseUrl,
	subscriptionsUrl,
}: Record<"url" | "databaseUrl" | "subscriptionsUrl", string> & { port: number }) => ({
	AUTH_PORT: String(port),
	AUTH_URL: url,
	AUTH_DATABASE_URL: databaseUrl,
	SUBSCRIPTIONS_URL: subscriptionsUrl,
	AUTH_SNAPSHOT_READ_KEY: mintApiKey().text,
	LANGO_KEY_ENCRYPTION_KEYS: `${key.id}:${key.bytes.toString("base64")}`,
	LOG_LEVEL: "warn",
});

/** The peer or a floor: its program, and the signature algorithm of its ID tokens. */
export type Other = {
	name: string;
	program: string;
	readyPath: string;
	idTokens: "RS256" | "ES256";
	environment?: Record<string, string>;
};

/** Starts a peer or a floor on its own database. */
async function startOther(
	{ options, cores, adminUrl, start }: Starting,
	{ name, program, readyPath, idTokens, environment }: Other,
) {
	const database = `bench_${name}_${idTokens.toLowerCase()}`;
	await withAdmin(adminUrl, (admin) => admin.query(`create database ${database} template template0`));
	return start({
		name,
		program,
		readyPath,
		environment: ({ port, url }) => ({
			PORT: String(port),
			ISSUER: url,
			DATABASE_URL: databaseAt(adminUrl, database),
			DATABASE_CONNECTIONS: String(options.databaseConnections),
			PEOPLE: String(compared.people),
			ID_TOKEN_ALG: idTokens,
			...environment,
		}),
		cores,
		on: cores.server,
	});
}

/** The sign-on service as a target of the driver. */
export const langoTarget = (name: string, { url, pid }: Pick<Running, "url" | "pid">): Target => ({
	name,
	url,
	pid,
	authorizePath: "/api/v1/authorize",
	tokenPath: "/api/v1/token",
});

/** Records sessions for these people, by number. Returns them as the driver needs them. */
export async function signInPeople(
	{ size, adminUrl }: Pick<Installation, "size" | "adminUrl">,
	people: readonly number[],
): Promise<Array<Required<Seed>>> {
	const tenants = await findTenantIds(adminUrl);
	const sessions = people.map((person): Omit<FilledSession, "email"> => {
		const id = randomUUID();
		const tenantId = tenants.get(slugOf(tenantOf(person, size))) ?? "";
		return { id, cookieValue: randomBytes(32).toString("base64url"), ...makeRefreshToken(tenantId, id) };
	});
	const filled = sessions.map((session, at) => ({ ...session, email: emailOf(people[at] ?? 1) }));
	await fillSessions(adminUrl, filled, key.id);
	return filled.map(({ email, cookieValue, refreshToken }, at) => ({
		login: email,
		tenantSlug: slugOf(tenantOf(people[at] ?? 1, size)),
		cookie: ["__Host-lango", cookieValue],
		refreshToken,
	}));
}

/** Selects this number of people evenly from an installation, repeatedly if it has fewer. */
export function drawPeople({ people }: Size, count: number): number[] {
	const stride = 617_371; // A prime, so that no person is selected twice before all were selected.
	return Array.from({ length: count }, (_, at) => ((at * stride) % people) + 1);
}
