/**
 * `npm run migrate -- NAME …|all`: migrates the databases of services, one after the other. Uses
 * `<NAME>_MIGRATION_DATABASE_URL`; if NODE_ENV is development or test, otherwise the server of
 * `DATABASE_URL`, otherwise that of `npm start`, which is started if it does not run.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@lango/chassis";
import { migrate } from "@lango/postgres";
import { findCluster } from "./postgres/cluster.ts";
import { homeOf, provideDatabase, provideTables, refuseOutsideDevelopment, urlsIn } from "./up/databases.ts";
import { prefixOf } from "./up/parts.ts";
import { chooseServices } from "./up/service-names.ts";
import { listenForStop } from "./up/stopping.ts";

const chosen = await chooseServices("npm run migrate --");
const settingsFile = join(import.meta.dirname, "../.env");
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
const data = join(homeOf(process.env), "postgres");
const stopping = listenForStop(console.log);
try {
	for (const service of chosen) {
		const { owner } = urlsIn(service.name, process.env);
		const applied = owner ? await migrate(owner, service.migrations) : await migrateOurs(service);
		const about = applied.length === 0 ? `${service.name} is up to date.` : `Applied: ${applied.join(", ")}`;
		console.log(about);
	}
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
for (const fault of await stopping.stopAll()) console.error(fault);

/** In development, creates missing roles and databases, too. */
async function migrateOurs(one: ServiceDefinition): Promise<string[]> {
	refuseOutsideDevelopment(`${prefixOf(one.name)}_MIGRATION_DATABASE_URL`, process.env);
	const found = process.env.DATABASE_URL || findCluster(data)?.adminUrl;
	const adminUrl = found ?? (await provideDatabase(data, undefined, stopping));
	return (await provideTables(one, { adminUrl, environment: process.env, signal: stopping.signal })).applied;
}
