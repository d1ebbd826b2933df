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
	const drop = async () => {
		for (const node of [coordinatorUrl, ...allWorkers])
			await withAdmin(node, (admin) => admin.query(`drop database if exists ${database} with (force)`));
	};
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
