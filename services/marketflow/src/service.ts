import { defineDomainService, everyone } from "@lango/chassis";

/** Marketing: identity, tenancy and access from the chassis. The codes of the specification are kept for the modules that will guard their routes. */
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
