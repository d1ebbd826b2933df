import { expect, test } from "vitest";
import { mergeRestrictive, type Policy } from "./policies.store.ts";

const tenant: Policy = {
	table: "orders",
	name: "orders__tenant",
	permissive: true,
	command: "*",
	roles: [],
	meets_restrictive: true,
	using: "tenant_id = t()",
	with_check: null,
};

const outlets: Policy = {
	...tenant,
	name: "orders__outlets",
	permissive: false,
	roles: ["lango_app"],
	using: "outlet_id = o()",
};

const platform: Policy = { ...tenant, name: "orders__platform", meets_restrictive: false, using: "true" };

const condition = "((outlet_id = o()) or not pg_has_role('lango_app', 'member'))";

test("a restrictive policy becomes a condition of the policies that apply to its role", () => {
	expect(mergeRestrictive([tenant, platform, outlets])).toEqual([
		`alter policy "orders__tenant" on orders using ((tenant_id = t()) and ${condition})`,
		'drop policy "orders__outlets" on orders',
	]);
});

test("the condition is added to what a policy checks of new rows, too", () => {
	const inserting = { ...tenant, command: "a", using: null, with_check: "is_new" };
	const both = { ...tenant, name: "orders__both", with_check: "true" };
	expect(mergeRestrictive([inserting, both, outlets]).slice(0, 2)).toEqual([
		`alter policy "orders__tenant" on orders with check ((is_new) and ${condition})`,
		`alter policy "orders__both" on orders using ((tenant_id = t()) and ${condition}) with check ((true) and ${condition})`,
	]);
});

test("tables without a restrictive policy keep theirs", () => {
	const other = { ...tenant, table: "customers", name: "customers__tenant", meets_restrictive: false };
	expect(mergeRestrictive([other])).toEqual([]);
});

test.for<[string, Partial<Policy>]>([
	["is for one command", { command: "r" }],
	["is for all roles", { roles: [] }],
	["names several roles", { roles: ["lango_app", "lango_lookup"] }],
	['has a "with check"', { with_check: "true" }],
	['has no "using"', { using: null }],
])("a restrictive policy that %s is refused by its table and name", ([reason, difference]) => {
	expect(() => mergeRestrictive([tenant, { ...outlets, ...difference }])).toThrow(
		`orders: the restrictive policy orders__outlets cannot be merged, because it ${reason}`,
	);
});

test("a restrictive policy is refused also where no other policy needs its condition", () => {
	expect(() => mergeRestrictive([{ ...outlets, command: "w" }])).toThrow("orders__outlets");
});
