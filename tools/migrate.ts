/**
 * `npm run migrate -- NAME …|all`: brings the databases of services up to date, one after the other. Each is the one of
 * `<NAME>_MIGRATION_DATABASE_URL`, else the one that `DATABASE_URL` leads to, else the one of `npm start`, which is started for it
 * when it does not run. The last two only if NODE_ENV is development or test.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@lango/chassis";
import { migrate } from "@lango/postgres";
import { findCluster } from "./postgres/cluster.ts";
import { homeOf } from "./up/bring-up.ts";
import { provideDatabase, provideTables, refuseOutsideDevelopment, urlsIn } from "./up/databases.ts";
import { prefixOf } from "./up/parts.ts";
import { chooseServices } from "./up/service-names.ts";
import { listenForStop } from "./up/stopping.ts";

const chosen = chooseServices("npm run migrate --");
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

/** In the development database the roles and the database are made, too, where they are missing. */
async function migrateOurs(one: ServiceDefinition): Promise<string[]> {
	refuseOutsideDevelopment(`${prefixOf(one.name)}_MIGRATION_DATABASE_URL`, process.env);
	const found = process.env.DATABASE_URL || findCluster(data)?.adminUrl;
	const adminUrl = found ?? (await provideDatabase(data, undefined, stopping));
	return (await provideTables(one, { adminUrl, environment: process.env, signal: stopping.signal })).applied;
}
