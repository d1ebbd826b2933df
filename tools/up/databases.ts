import { join, resolve } from "node:path";
import {
	type Environment,
	explainDatabase,
	isDevelopment,
	requireDatabaseAddress,
	type ServiceDefinition,
	StartFault,
} from "@lango/chassis";
import { type DatabaseUrls, migrate, openPool, prepareDatabase, waitForDatabase } from "@lango/postgres";
import { findCluster, startCluster } from "../postgres/cluster.ts";
import { prefixOf } from "./parts.ts";
import type { Stopping } from "./stopping.ts";

const root = resolve(import.meta.dirname, "../..");

/** The folder of the database, the secrets and the process file: `LANGO_HOME`, or `.lango` in this folder. */
export const homeOf = ({ LANGO_HOME }: Environment): string => resolve(root, LANGO_HOME || ".lango");

const oldestMajor = 15;
const patienceMs = 120_000;
const sayAfterMs = 5_000;

/** Prints that the command waits for the database; `signal` stops the waiting. */
export type Waiting = { signal?: AbortSignal; say?: (line: string) => void };

/**
 * Runs work on the database and retries it for up to two minutes while the database is unavailable, for
 * example on a busy machine. Prints once that it waits. The work must be idempotent.
 */
export function onceDatabaseAnswers<T>(work: () => Promise<T>, { signal, say }: Waiting): Promise<T> {
	let isSaid = false;
	const onRetry = (error: unknown) => {
		if (!isSaid) say?.(`The database does not answer yet (${reasonOf(error)}). Waiting up to two minutes …`);
		isSaid = true;
	};
	return waitForDatabase(work, { patienceMs, signal, onRetry });
}

function reasonOf(error: unknown): string {
	const { message, code } = error as NodeJS.ErrnoException;
	return message || (code ?? "no reason given");
}

/**
 * Returns the address of an administrator of the platform's PostgreSQL: `DATABASE_URL`, whose version is
 * checked, or the cluster in `path`, which is started. Throws an Error with a message for the user if none is
 * available.
 */
export async function provideDatabase(
	path: string,
	given: string | undefined,
	stopping: Stopping & Pick<Waiting, "say">,
): Promise<string> {
	const { signal, say } = stopping;
	if (given) {
		const place = { service: "npm start", setting: "DATABASE_URL", url: given };
		requireDatabaseAddress(place);
		const version = onceDatabaseAnswers(() => requireVersion(given), { signal, ...(say && { say }) });
		await version.catch((error) => {
			throw explainDatabase(error, place);
		});
		return given;
	}
	const settings = { shared_buffers: "64MB" };
	const slow = setTimeout(
		() => say?.("PostgreSQL is not ready yet. Waiting up to two minutes …"),
		sayAfterMs,
	);
	const { adminUrl, stop } = await startCluster({ path, settings, signal }).finally(() => clearTimeout(slow));
	stopping.onStop(stop);
	return adminUrl;
}

async function requireVersion(url: string): Promise<void> {
	const db = openPool({ url, name: "up", sizeMax: 1, onIdleError: () => {} });
	try {
		const [row] = await db.query<{ number: string }>(
			"select current_setting('server_version_num') as number",
		);
		const major = Math.floor(Number(row?.number) / 10_000);
		if (major >= oldestMajor) return;
		throw new StartFault(
			`The PostgreSQL of DATABASE_URL is version ${major}; ${oldestMajor} or later is needed. Set DATABASE_URL to a newer one, or unset it to use Lango's own.`,
		);
	} finally {
		await db.close();
	}
}

/** A service's two addresses, and the migrations that were applied. */
export type Tables = DatabaseUrls & { applied: string[] };

/**
 * Creates a service's missing database and roles, and migrates its tables. Addresses of the environment
 * (`<NAME>_DATABASE_URL`, `<NAME>_MIGRATION_DATABASE_URL`) are used unchanged; if both are given, the
 * administrator is not used.
 */
export async function provideTables(
	service: ServiceDefinition,
	{ adminUrl, environment, ...waiting }: { adminUrl: string; environment: Environment } & Waiting,
): Promise<Tables> {
	const { name } = service;
	const { app, owner } = urlsIn(name, environment);
	const attempt = <T>(place: { setting: string; url: string }, work: () => Promise<T>) =>
		onceDatabaseAnswers(work, waiting).catch((error) => {
			throw explainDatabase(error, { service: name, ...place });
		});
	const admin = { setting: "DATABASE_URL", url: adminUrl };
	const urls = app && owner ? { app, owner } : await attempt(admin, () => prepareDatabase(adminUrl, name));
	const chosen = { app: app ?? urls.app, owner: owner ?? urls.owner };
	const place = { setting: `${prefixOf(name)}_MIGRATION_DATABASE_URL`, url: chosen.owner };
	return { ...chosen, applied: await attempt(place, () => migrate(chosen.owner, service.migrations)) };
}

/**
 * Returns the address of the database for an operator's command: `<NAME>_DATABASE_URL`, otherwise that of
 * `npm start`, which is started if it does not run. Outside development throws an Error that names the
 * missing variable.
 */
export async function provideForOperator(
	service: ServiceDefinition,
	{ home, environment, stopping }: { home: string; environment: Environment; stopping: Stopping },
): Promise<string> {
	const { app } = urlsIn(service.name, environment);
	if (app !== undefined) return app;
	refuseOutsideDevelopment(`${prefixOf(service.name)}_DATABASE_URL`, environment);
	const data = join(home, "postgres");
	const given = environment.DATABASE_URL || findCluster(data)?.adminUrl;
	const adminUrl = given ?? (await provideDatabase(data, undefined, stopping));
	return (await provideTables(service, { adminUrl, environment, signal: stopping.signal })).app;
}

/**
 * Throws an Error outside development: there a missing address is never replaced by the database of `npm
 * start`.
 */
export function refuseOutsideDevelopment(variable: string, { NODE_ENV }: Environment): void {
	if (isDevelopment(NODE_ENV)) return;
	throw new Error(
		`${variable} is missing. Set it; on a developer's machine, NODE_ENV=development means the database of npm start.`,
	);
}

/** A service's two addresses in the environment. */
export function urlsIn(name: string, environment: Environment): { app?: string; owner?: string } {
	const app = environment[`${prefixOf(name)}_DATABASE_URL`];
	const owner = environment[`${prefixOf(name)}_MIGRATION_DATABASE_URL`];
	return { ...(app && { app }), ...(owner && { owner }) };
}
