import { listUnguardedTables } from "@lango/postgres";
import { compareSchemas, createTestDatabase } from "@lango/testkit";
import { expect, test } from "vitest";
import { logistics } from "../src/service.ts";

test("no table with a tenant lacks its policy", async () => {
	const database = await createTestDatabase({ name: "logistics", sets: logistics.migrations });
	try {
		expect(await listUnguardedTables(database.db)).toEqual([]);
	} finally {
		await database.drop();
	}
});

test("schema.sql says what the migrations do", async () => {
	const { fromMigrations, fromSchema } = await compareSchemas("logistics", logistics.migrations);
	expect(fromSchema).toEqual(fromMigrations);
});
