import { inspectTables, unboundByDesign } from "@lango/testkit";
import { expect, test } from "vitest";
import { notifications } from "../src/service.ts";

test("every table with a tenant has its policy and its reference to the tenant, every table with an outlet has its policy, and keys carry the tenant", async () => {
	const { unguarded, untied, unbound, keysWithoutTenant } = await inspectTables(notifications);
	expect(unguarded).toEqual([]);
	expect(untied).toEqual([]);
	expect(keysWithoutTenant).toEqual([]);
	expect(unbound).toEqual(Object.keys(unboundByDesign));
});
