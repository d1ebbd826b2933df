import { randomBytes } from "node:crypto";
import { createTestDatabasesBy } from "@lango/testkit";
import { startPlatformsOn } from "../journeys/platform-database.ts";
import { createClusterDatabase, nodes, replacePlatformDatabase, workerCounts } from "./cluster.ts";

// A set-up file: the tests of a service, and the platforms of journeys, get databases on the coordinator and
// all workers.

const workers = Math.max(...workerCounts);

createTestDatabasesBy(async ({ name, sets, rows }) => {
	const mark = `_${randomBytes(4).toString("hex")}`;
	const database = await createClusterDatabase({ name, migrations: sets }, workers, mark);
	await rows?.write(database.db);
	return database;
});

startPlatformsOn(async () => {
	const { parts } = await import("../../tools/up.ts");
	for (const { service } of parts.services) await replacePlatformDatabase(service);
	return nodes(workers).coordinatorUrl;
});
