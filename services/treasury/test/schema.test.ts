import { inspectTables, unboundByDesign } from "@lango/testkit";
import { expect, test } from "vitest";
import { treasury } from "../src/service.ts";

test("every table with a tenant has its policy and its reference to the tenant, every table with an outlet has its policy, and schema.sql equals the migrations", async () => {
	const { unguarded, untied, unbound, fromMigrations, fromSchema } = await inspectTables(treasury);
	expect(unguarded).toEqual([]);
	expect(untied).toEqual([]);
	expect(unbound).toEqual(Object.keys(unboundByDesign));
	expect(fromSchema).toEqual(fromMigrations);
});
