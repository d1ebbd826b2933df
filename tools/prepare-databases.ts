/**
 * `node tools/prepare-databases.ts NAME …|all`: creates the missing databases and roles of a deployment as an
 * administrator (`DATABASE_URL`, a role that can create roles and databases). Names and passwords come from
 * the two addresses of each service, `<NAME>_DATABASE_URL` and `<NAME>_MIGRATION_DATABASE_URL`; a changed
 * password is set. `tools/migrate.ts` creates the tables.
 */
import { prepareDatabaseAt } from "@lango/postgres";
import { urlsIn } from "./up/databases.ts";
import { prefixOf } from "./up/parts.ts";
import { chooseServices } from "./up/service-names.ts";

const chosen = await chooseServices("node tools/prepare-databases.ts");
try {
	const adminUrl = required("DATABASE_URL", process.env["DATABASE_URL"]);
	for (const { name } of chosen) {
		const { app, owner } = urlsIn(name, process.env);
		const prefix = prefixOf(name);
		await prepareDatabaseAt(adminUrl, {
			app: required(`${prefix}_DATABASE_URL`, app),
			owner: required(`${prefix}_MIGRATION_DATABASE_URL`, owner),
		});
		console.log(`${name} has its database and its roles.`);
	}
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}

function required(variable: string, value: string | undefined): string {
	if (value) return value;
	throw new Error(`${variable} is missing.`);
}
