import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServiceDefinition } from "@lango/chassis";
import { type Database, openPool } from "@lango/postgres";
import { parts } from "../up.ts";
import { homeOf } from "./bring-up.ts";
import { provideForOperator } from "./databases.ts";
import { listenForStop } from "./stopping.ts";

/** Who decides by a command, for the audit log: whoever may reach the database. */
export const operator = { kind: "system", id: "operator" } as const;

/**
 * Runs a command of the operator on a service's database: the one of the environment, else the one of `npm
 * start`, which is started for it when it does not run. An error is printed and the process ends with 1.
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
