import { defineDomainService, everyone } from "@lango/chassis";

/**
 * Projects: identity, tenancy and access from the chassis; projects and their tasks will be added to the
 * tables below.
 */
export const projects = defineDomainService({
	name: "projects",
	title: "Projects service",
	base: "/api/v1/:tenant/projects",
	permissions: {},
	roles: {
		projects_admin: ["projects.*"],
		projects_operator: ["projects.*.add", "projects.*.view", "projects.*.change"],
		projects_viewer: ["projects.*.view"],
	},
	firstRole: [
		[["superuser", "admin"], "projects_admin"],
		[["staff"], "projects_operator"],
		[everyone, "projects_viewer"],
	],
	routes: [],
});
