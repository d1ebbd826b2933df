import { inspectTables } from "@lango/testkit";
import { expect, test } from "vitest";
import { logistics } from "../src/service.ts";

test("no table with a tenant lacks its policy or its tie to the tenant, and schema.sql says what the migrations do", async () => {
	const { unguarded, untied, fromMigrations, fromSchema } = await inspectTables(logistics);
	expect(unguarded).toEqual([]);
	expect(untied).toEqual([]);
	expect(fromSchema).toEqual(fromMigrations);
});
