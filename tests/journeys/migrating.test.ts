import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase({ name: "hospital", sets: [] });
});
afterAll(() => database.drop());

/**
 * As a deployment runs it: it has the owner's address and no administrator's, and no platform of ours is
 * there.
 */
const migrateHospital = async () => {
	const environment = {
		PATH: process.env["PATH"],
		NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
		HOSPITAL_MIGRATION_DATABASE_URL: database.ownerUrl,
		LANGO_HOME: join(root, ".lango/nothing-here"),
	};
	const { stdout } = await run(process.execPath, ["tools/migrate.ts", "hospital"], {
		cwd: root,
		env: environment,
	});
	return stdout.trim();
};

test("the owner's address is all that migrating a service's database takes, and doing it again changes nothing", async () => {
	expect(await migrateHospital()).toMatch(/^Applied: events\/0001_\S+\.sql, .*tenancy\/0001_\S+\.sql, /);
	expect(await migrateHospital()).toBe("hospital is up to date.");
});
