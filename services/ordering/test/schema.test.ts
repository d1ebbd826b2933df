import { inspectTables } from "@lango/testkit";
import { expect, test } from "vitest";
import { ordering } from "../src/service.ts";

test("no table with a tenant lacks its policy, and schema.sql says what the migrations do", async () => {
	const { unguarded, fromMigrations, fromSchema } = await inspectTables(ordering);
	expect(unguarded).toEqual([]);
	expect(fromSchema).toEqual(fromMigrations);
});
