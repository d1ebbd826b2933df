import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@lango/chassis";
import { type Database, openPool } from "@lango/postgres";
import { homeOf, provideForOperator } from "./databases.ts";
import { loadService } from "./service-names.ts";
import { listenForStop } from "./stopping.ts";

/** The actor of a command in the audit log: an operator with access to the database. */
export const operator = { kind: "system", id: "operator" } as const;

/**
 * Runs an operator's command on a service's database: that of the environment, otherwise that of `npm start`,
 * which is started if it does not run. Prints an error and exits with 1 if the command fails.
 */
export async function onServiceDatabase(
	name: string,
	work: (db: Database, service: ServiceDefinition) => Promise<void>,
): Promise<void> {
	const settingsFile = join(import.meta.dirname, "../../.env");
	if (existsSync(settingsFile)) process.loadEnvFile(settingsFile);
	const stopping = listenForStop(console.log);
	try {
		const service = await loadService(name);
		const home = homeOf(process.env);
		const url = await provideForOperator(service, { home, environment: process.env, stopping });
		const db = openPool({ url, name: "operator", sizeMax: 1 });
		stopping.onStop(() => db.close());
		await work(db, service);
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	}
	for (const fault of await stopping.stopAll()) console.error(fault);
}
