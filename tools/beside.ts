/**
 * `npm run beside -- FILE`: runs a service outside of the suite beside the platform of `npm start`, for
 * example examples/bakery/service.ts. Creates its missing database, roles and tables, and uses the platform's
 * addresses and keys. Variables of the environment override them. Ctrl-C stops it.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ServiceDefinition, startService } from "@lango/chassis";
import { findCluster } from "./postgres/cluster.ts";
import { homeOf, provideDatabase, provideTables } from "./up/databases.ts";
import { developmentEnvironment } from "./up/development-environment.ts";
import { prefixOf } from "./up/parts.ts";
import { requireDevelopment } from "./up/require-development.ts";
import { keysBeside } from "./up/service-keys.ts";
import { listenForStop, untilAborted } from "./up/stopping.ts";
import { parts } from "./up.ts";

const stopping = listenForStop(console.log);
try {
	const service = await readService(process.argv[2]);
	const settingsFile = join(import.meta.dirname, "../.env");
	if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
	requireDevelopment(process.env);
	const home = homeOf(process.env);
	const platform = developmentEnvironment(parts, { home, given: process.env });
	const environment: Record<string, string | undefined> = {
		...platform,
		...keysBeside(service, platform),
		// The platform of `npm start` logs warnings only; the author of one service wants to see its requests.
		LOG_LEVEL: process.env["LOG_LEVEL"] || "info",
	};
	const data = join(home, "postgres");
	const found = environment["DATABASE_URL"] || findCluster(data)?.adminUrl;
	const adminUrl = found ?? (await provideDatabase(data, undefined, stopping));
	const { app } = await provideTables(service, { adminUrl, environment });
	const running = await startService(service, {
		environment: { ...environment, [`${prefixOf(service.name)}_DATABASE_URL`]: app },
		signal: stopping.signal,
	});
	stopping.onStop(running.close);
	console.log(`${service.title}: ${running.url}/docs`);
	await untilAborted(stopping.signal);
} catch (error) {
	if (!stopping.signal.aborted) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	}
}
for (const fault of await stopping.stopAll()) console.error(fault);

/** Returns the service that a file exports: the export with a name, migrations and routes. */
async function readService(file = ""): Promise<ServiceDefinition> {
	const path = resolve(file);
	if (file === "" || !existsSync(path))
		throw new Error("Usage: npm run beside -- examples/bakery/service.ts");
	const exported: unknown[] = Object.values(await import(pathToFileURL(path).href));
	const service = exported.find(isService);
	if (service === undefined) throw new Error(`${file} exports no service made by defineDomainService.`);
	return service;
}

function isService(value: unknown): value is ServiceDefinition {
	const members = ["name", "migrations", "routes", "pipeline"];
	return typeof value === "object" && value !== null && members.every((member) => member in value);
}
