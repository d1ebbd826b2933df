import { listUnguardedTables } from "@lango/postgres";
import { compareSchemas, createTestDatabase } from "@lango/testkit";
import { expect, test } from "vitest";
import { ordering } from "../src/service.ts";

test("no table with a tenant lacks its policy", async () => {
	const database = await createTestDatabase({ name: "ordering", sets: ordering.migrations });
	try {
		expect(await listUnguardedTables(database.db)).toEqual([]);
	} finally {
		await database.drop();
	}
});

test("schema.sql says what the migrations do", async () => {
	const { fromMigrations, fromSchema } = await compareSchemas("ordering", ordering.migrations);
	expect(fromSchema).toEqual(fromMigrations);
});
