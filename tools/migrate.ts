/**
 * `npm run migrate -- NAME`: brings one service's database up to date. It is the one of `<NAME>_MIGRATION_DATABASE_URL`, else
 * the one that `DATABASE_URL` leads to, else the one of `npm start`, which is started for it when it does not run.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findCluster } from "./postgres/cluster.ts";
import { provideDatabase, provideTables, urlsIn } from "./up/databases.ts";
import { listenForStop } from "./up/stopping.ts";
import { parts } from "./up.ts";

const home = join(import.meta.dirname, "../.lango");
const [name] = process.argv.slice(2);
const service = parts.services.map((part) => part.service).find((one) => one.name === name);
if (service === undefined) {
	console.error(
		`Say which service: npm run migrate -- ${parts.services.map((part) => part.service.name).join("|")}`,
	);
	process.exit(1);
}

const settingsFile = join(home, "../.env");
if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
const stopping = listenForStop(console.log);
try {
	const given = process.env.DATABASE_URL || findCluster(join(home, "postgres"))?.adminUrl;
	const { owner } = urlsIn(service.name, process.env);
	const adminUrl = given ?? owner ?? (await provideDatabase(join(home, "postgres"), undefined, stopping));
	const { applied } = await provideTables(service, adminUrl, process.env);
	console.log(applied.length === 0 ? `${service.name} is up to date.` : `Applied: ${applied.join(", ")}`);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
for (const fault of await stopping.stopAll()) console.error(fault);
