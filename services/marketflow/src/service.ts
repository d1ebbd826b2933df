import { defineDomainService, everyone } from "@lango/chassis";

/**
 * Marketing: identity, tenancy and access from the chassis. The permissions of the specification are reserved
 * for later modules.
 */
export const marketflow = defineDomainService({
	name: "marketflow",
	title: "Marketing service",
	base: "/api/v1/:tenant/marketflow",
	permissions: { leads: ["add"], campaigns: ["manage"], chat: ["view"] },
	reserved: {
		"marketflow.leads.add": "§2.4",
		"marketflow.campaigns.manage": "§2.4",
		"marketflow.chat.view": "§2.4",
	},
	roles: {
		marketflow_admin: ["marketflow.*"],
		marketflow_operator: ["marketflow.*.add", "marketflow.*.view", "marketflow.*.change"],
		marketflow_viewer: ["marketflow.*.view"],
	},
	firstRole: [
		[["superuser", "admin"], "marketflow_admin"],
		[["staff"], "marketflow_operator"],
		[everyone, "marketflow_viewer"],
	],
	routes: [],
});
