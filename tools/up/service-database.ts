import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@lango/chassis";
import { type Database, openPool } from "@lango/postgres";
import { parts } from "../up.ts";
import { homeOf } from "./bring-up.ts";
import { provideForOperator } from "./databases.ts";
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
	const names = parts.services.map(({ service }) => service.name);
	const service = parts.services.map((part) => part.service).find((one) => one.name === name);
	const stopping = listenForStop(console.log);
	try {
		if (service === undefined)
			throw new Error(`There is no service "${name}"; there are ${names.join(", ")}.`);
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
