import { listStatements } from "./installation.store.ts";
import { profiles } from "./processes.ts";

/**
 * Prints the slowest statements of a profiled run by database; undefined: of all, also of those that are
 * gone. The processor profiles are beside the logs.
 */
export async function printStatements(
	adminUrl: string,
	databases: ReadonlyArray<string | undefined>,
): Promise<void> {
	for (const name of databases) {
		console.log(`\n${name ?? "all"}: calls, ms to plan, ms to run`);
		for (const { text, calls, planMs, runMs } of await listStatements(adminUrl, name))
			console.log(`${String(calls).padStart(8)} ${planMs.toFixed(3)} ${runMs.toFixed(3)}  ${text}`);
	}
	console.log(`Profiles of the servers' processors: ${profiles}`);
}
