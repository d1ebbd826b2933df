import { randomBytes } from "node:crypto";
import { createTestDatabasesBy } from "@lango/testkit";
import { createClusterDatabase, workerCounts } from "./cluster.ts";

/** A set-up file: the tests of a service get a database on the coordinator and all workers. */
createTestDatabasesBy(async ({ name, sets, rows }) => {
	const mark = `_${randomBytes(4).toString("hex")}`;
	const database = await createClusterDatabase({ name, migrations: sets }, Math.max(...workerCounts), mark);
	await rows?.write(database.db);
	return database;
});
