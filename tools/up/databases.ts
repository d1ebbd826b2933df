import { join } from "node:path";
import { type Environment, isDevelopment, type ServiceDefinition } from "@lango/chassis";
import { type DatabaseUrls, migrate, openPool, prepareDatabase } from "@lango/postgres";
import { findCluster, startCluster } from "../postgres/cluster.ts";
import { prefixOf } from "./parts.ts";
import type { Stopping } from "./stopping.ts";

const oldestMajor = 15;

/**
 * The address of an administrator of the platform's PostgreSQL: `DATABASE_URL`, after a look at its version, or our
 * own cluster in `path`, started here. Throws an Error that says what to do when there is none to be had.
 */
export async function provideDatabase(
	path: string,
	given: string | undefined,
	stopping: Stopping,
): Promise<string> {
	if (given) {
		await requireVersion(given);
		return given;
	}
	const settings = { shared_buffers: "64MB" };
	const { adminUrl, stop } = await startCluster({ path, settings, signal: stopping.signal });
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
		throw new Error(`The PostgreSQL of DATABASE_URL is version ${major}; ${oldestMajor} or later is needed.`);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === undefined) throw error;
		throw new Error(`The PostgreSQL of DATABASE_URL cannot be used: ${message || code}.`);
	} finally {
		await db.close();
	}
}

/** A service's two addresses, and the migrations that were applied just now. */
export type Tables = DatabaseUrls & { applied: string[] };

/**
 * Makes a service's database and roles where they are missing and brings its tables up to date. Addresses that the
 * environment names (`<NAME>_DATABASE_URL`, `<NAME>_MIGRATION_DATABASE_URL`) are used as they are; when it names both,
 * the administrator is not asked.
 */
export async function provideTables(
	service: ServiceDefinition,
	adminUrl: string,
	environment: Environment,
): Promise<Tables> {
	const { app, owner } = urlsIn(service.name, environment);
	const urls = app && owner ? { app, owner } : await prepareDatabase(adminUrl, service.name);
	const chosen = { app: app ?? urls.app, owner: owner ?? urls.owner };
	return { ...chosen, applied: await migrate(chosen.owner, service.migrations) };
}

/**
 * Where a command of the operator works: the address that the environment names (`<NAME>_DATABASE_URL`), as it is; else the
 * database of `npm start`, which is started for it when it does not run. Outside development an Error names the missing variable.
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
	return (await provideTables(service, adminUrl, environment)).app;
}

/** Throws an Error outside development: there a missing address is never replaced by the database of `npm start`. */
export function refuseOutsideDevelopment(variable: string, { NODE_ENV }: Environment): void {
	if (isDevelopment(NODE_ENV)) return;
	throw new Error(
		`${variable} is missing. Set it; on a developer's machine, NODE_ENV=development means the database of npm start.`,
	);
}

/** What the environment says of a service's two addresses. */
export function urlsIn(name: string, environment: Environment): { app?: string; owner?: string } {
	const app = environment[`${prefixOf(name)}_DATABASE_URL`];
	const owner = environment[`${prefixOf(name)}_MIGRATION_DATABASE_URL`];
	return { ...(app && { app }), ...(owner && { owner }) };
}
