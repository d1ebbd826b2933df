import { inspectTables } from "@lango/testkit";
import { expect, test } from "vitest";
import { pos } from "../src/service.ts";

test("no table with a tenant lacks its policy or its tie to the tenant, and schema.sql says what the migrations do", async () => {
	const { unguarded, untied, fromMigrations, fromSchema } = await inspectTables(pos);
	expect(unguarded).toEqual([]);
	expect(untied).toEqual([]);
	expect(fromSchema).toEqual(fromMigrations);
});
