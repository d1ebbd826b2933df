import { databaseUrls, openPool, withAdmin } from "@lango/postgres";
import type { TestDatabase } from "@lango/testkit";
import { bringUp, type Distributed } from "../../deploy/citus/bring-up.ts";

/**
 * The coordinator and the workers of `CITUS_URL`: the administrator's URL of each, separated by commas, the
 * coordinator's first.
 */
const [coordinatorUrl = "", ...allWorkers] = (process.env["CITUS_URL"] ?? "").split(",");

/** How many workers the tests run with: each number up to that of `CITUS_URL`. */
export const workerCounts = allWorkers.map((_, index) => index + 1);

/** The coordinator and so many workers. */
export const nodes = (workers: number) => ({ coordinatorUrl, workerUrls: allWorkers.slice(0, workers) });

/** Drops a database on every node. */
async function dropEverywhere(database: string): Promise<void> {
	for (const node of [coordinatorUrl, ...allWorkers])
		await withAdmin(node, (admin) => admin.query(`drop database if exists ${database} with (force)`));
}

/** A new database of a service on the coordinator and so many workers. `mark` is part of its name. */
export async function createClusterDatabase(
	service: Distributed,
	workers: number,
	mark = "",
): Promise<TestDatabase> {
	const database = `lango_citus_${service.name}_${workers}${mark}`;
	const at = (url: string) => {
		const moved = new URL(url);
		moved.pathname = `/${database}`;
		return moved.toString();
	};
	const { owner, app } = databaseUrls(coordinatorUrl, service.name);
	const urls = { owner: at(owner), app: at(app) };
	const drop = () => dropEverywhere(database);
	await drop();
	await bringUp(nodes(workers), { ...service, urls });
	const db = openPool({ url: urls.app, name: "citus-test", sizeMax: 8 });
	return {
		url: urls.app,
		ownerUrl: urls.owner,
		db,
		drop: async () => {
			await db.close();
			await drop();
		},
	};
}

const mark = "Created by tests/citus";

/**
 * A new database of a service on the coordinator and all workers, with the name and roles that `npm start`
 * expects at `coordinatorUrl`. It replaces the one of the last test. Throws an Error if another database has
 * this name.
 */
export async function replacePlatformDatabase(service: Distributed): Promise<void> {
	const { name } = service;
	const found = await withAdmin(coordinatorUrl, (admin) =>
		admin.query<{ text: string | null }>(
			"select shobj_description(oid, 'pg_database') as text from pg_database where datname = $1",
			[name],
		),
	);
	if (found.rows.some(({ text }) => text !== mark))
		throw new Error(`The cluster has a database ${name} that these tests did not create.`);
	await dropEverywhere(name);
	const workerUrls = allWorkers;
	try {
		await bringUp({ coordinatorUrl, workerUrls }, { ...service, urls: databaseUrls(coordinatorUrl, name) });
	} finally {
		const comment = `comment on database ${name} is '${mark}'`;
		const isThere = `exists (select from pg_database where datname = '${name}')`;
		await withAdmin(coordinatorUrl, (admin) =>
			admin.query(`do $$ begin if ${isThere} then ${comment}; end if; end $$`),
		);
	}
}
