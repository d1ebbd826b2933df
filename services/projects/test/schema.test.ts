import { inspectTables, unboundByDesign } from "@lango/testkit";
import { expect, test } from "vitest";
import { projects } from "../src/service.ts";

test("no table with a tenant lacks its policy or its tie to the tenant, no table with an outlet lacks its policy, and schema.sql says what the migrations do", async () => {
	const { unguarded, untied, unbound, fromMigrations, fromSchema } = await inspectTables(projects);
	expect(unguarded).toEqual([]);
	expect(untied).toEqual([]);
	expect(unbound).toEqual(Object.keys(unboundByDesign));
	expect(fromSchema).toEqual(fromMigrations);
});
