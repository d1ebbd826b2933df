/**
 * `node deploy/citus/up.ts NAME …`: creates the databases of services on a Citus cluster, migrates them and
 * distributes their tables. `CITUS_URL` has the administrator's URL of each node, separated by commas, the
 * coordinator's first; each service has its two addresses as for `tools/prepare-databases.ts`.
 */
import { urlsIn } from "../../tools/up/databases.ts";
import { prefixOf } from "../../tools/up/parts.ts";
import { chooseServices } from "../../tools/up/service-names.ts";
import { bringUp } from "./bring-up.ts";

const chosen = await chooseServices("node deploy/citus/up.ts");
try {
	const [coordinatorUrl, ...workerUrls] = (process.env["CITUS_URL"] ?? "").split(",");
	if (!coordinatorUrl || workerUrls.length === 0)
		throw new Error("CITUS_URL must have a coordinator and at least one worker, separated by commas.");
	for (const { name, migrations } of chosen) {
		const { app, owner } = urlsIn(name, process.env);
		const prefix = prefixOf(name);
		if (!app || !owner)
			throw new Error(`${prefix}_DATABASE_URL or ${prefix}_MIGRATION_DATABASE_URL is missing.`);
		await bringUp({ coordinatorUrl, workerUrls }, { name, migrations, urls: { app, owner } });
		console.log(`${name} is distributed over ${workerUrls.length} workers.`);
	}
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
