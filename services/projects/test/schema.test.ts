import { listUnguardedTables } from "@lango/postgres";
import { compareSchemas, createTestDatabase } from "@lango/testkit";
import { expect, test } from "vitest";
import { projects } from "../src/service.ts";

test("no table with a tenant lacks its policy", async () => {
	const database = await createTestDatabase({ name: "projects", sets: projects.migrations });
	try {
		expect(await listUnguardedTables(database.db)).toEqual([]);
		await database.drop();
	} catch (error) {
		await database.drop();
		throw error;
	}
});

test("schema.sql says what the migrations do", async () => {
	const { fromMigrations, fromSchema } = await compareSchemas("projects", projects.migrations);
	expect(fromSchema).toEqual(fromMigrations);
});
