import { defineDomainService, everyone } from "@lango/chassis";

/**
 * Inventory: identity, tenancy and access from the chassis; stock and its movements will be added to the
 * tables below.
 */
export const inventory = defineDomainService({
	name: "inventory",
	title: "Inventory service",
	base: "/api/v1/:tenant/inventory",
	product: "inventory",
	permissions: {},
	roles: {
		inventory_admin: ["inventory.*"],
		inventory_operator: ["inventory.*.add", "inventory.*.view", "inventory.*.change"],
		inventory_viewer: ["inventory.*.view"],
	},
	firstRole: [
		[["superuser", "admin"], "inventory_admin"],
		[["staff"], "inventory_operator"],
		[everyone, "inventory_viewer"],
	],
	routes: [],
});
