import { inspectTables, unboundByDesign } from "@lango/testkit";
import { expect, test } from "vitest";
import { treasury } from "../src/service.ts";

/** Tables with keys that do not carry the tenant, each with the reason. */
const exempt: Readonly<Record<string, string>> = {
	journals: "the chain of hashes goes over all tenants, and the platform's journals have no tenant",
	ledger_accounts: "the platform's accounts have no tenant",
	locators: "they lead from a value without a tenant to its tenant",
	postings: "a journal posts to accounts of a tenant and of the platform",
};

test("every table with a tenant has its policy and its reference to the tenant, every table with an outlet has its policy, and keys carry the tenant", async () => {
	const { unguarded, untied, unbound, keysWithoutTenant } = await inspectTables(treasury);
	expect(unguarded).toEqual([]);
	expect(untied).toEqual([]);
	expect(unbound).toEqual(Object.keys(unboundByDesign));
	const tables = keysWithoutTenant.map((line) => line.split(":")[0] ?? "");
	expect([...new Set(tables)]).toEqual(Object.keys(exempt));
});
