/**
 * `npm run migrate -- NAME`: brings one service's database up to date. It is the one of `<NAME>_MIGRATION_DATABASE_URL`, else
 * the one that `DATABASE_URL` leads to, else the one of `npm start`, which is started for it when it does not run.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@lango/chassis";
import { migrate } from "@lango/postgres";
import { findCluster } from "./postgres/cluster.ts";
import { homeOf } from "./up/bring-up.ts";
import { provideDatabase, provideTables, urlsIn } from "./up/databases.ts";
import { listenForStop } from "./up/stopping.ts";
import { parts } from "./up.ts";

const [name] = process.argv.slice(2);
const service = parts.services.map((part) => part.service).find((one) => one.name === name);
if (service === undefined) {
	console.error(
		`Say which service: npm run migrate -- ${parts.services.map((part) => part.service.name).join("|")}`,
	);
	process.exit(1);
}

const settingsFile = join(import.meta.dirname, "../.env");
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
const data = join(homeOf(process.env), "postgres");
const stopping = listenForStop(console.log);
try {
	const { owner } = urlsIn(service.name, process.env);
	const applied = owner ? await migrate(owner, service.migrations) : await migrateOurs(service);
	console.log(applied.length === 0 ? `${service.name} is up to date.` : `Applied: ${applied.join(", ")}`);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
for (const fault of await stopping.stopAll()) console.error(fault);

/** In the development database the roles and the database are made, too, where they are missing. */
async function migrateOurs(one: ServiceDefinition): Promise<string[]> {
	const found = process.env.DATABASE_URL || findCluster(data)?.adminUrl;
	const adminUrl = found ?? (await provideDatabase(data, undefined, stopping));
	return (await provideTables(one, adminUrl, process.env)).applied;
}
