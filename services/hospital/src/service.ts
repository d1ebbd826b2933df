import { defineDomainService, everyone } from "@lango/chassis";

/**
 * The hospital: identity, tenancy and access from the chassis; clinical modules will be added to the tables
 * below.
 */
export const hospital = defineDomainService({
	name: "hospital",
	title: "Hospital service",
	base: "/api/v1/:tenant/hospital",
	product: "hospital",
	permissions: {},
	roles: {
		hospital_admin: ["hospital.*"],
		hospital_operator: ["hospital.*.add", "hospital.*.view", "hospital.*.change"],
		hospital_viewer: ["hospital.*.view"],
	},
	firstRole: [
		[["superuser", "admin"], "hospital_admin"],
		[["staff"], "hospital_operator"],
		[everyone, "hospital_viewer"],
	],
	routes: [],
});
