import { inspectTables, unboundByDesign } from "@lango/testkit";
import { expect, test } from "vitest";
import { pos } from "../src/service.ts";

const unboundHere = {
	...unboundByDesign,
	terminals: "a till is looked up by its token before its outlet is known; the routes filter",
	pins: "a PIN is checked before there is a caller; the routes filter",
};

test("every table with a tenant has its policy and its reference to the tenant, every table with an outlet has its policy, and keys carry the tenant", async () => {
	const { unguarded, untied, unbound, keysWithoutTenant } = await inspectTables(pos);
	expect(unguarded).toEqual([]);
	expect(untied).toEqual([]);
	expect(unbound).toEqual(Object.keys(unboundHere).sort());
	expect(keysWithoutTenant).toEqual([]);
});
