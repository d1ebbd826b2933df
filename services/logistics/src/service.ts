import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { settings } from "./config.ts";
import { failures } from "./failures.ts";
import { riderRoutes } from "./riders/rider.routes.ts";
import { riderConsumers } from "./riders/rider-consumers.ts";
import { recoverReports, reportFleet } from "./usage/report.jobs.ts";

/** Logistics: the fleet, whose riders an administrator approves within the plan's limit. */
export const logistics = defineDomainService({
	name: "logistics",
	title: "Logistics service",
	base: "/api/v1/:tenant/logistics",
	product: "logistics",
	permissions: {
		fleet: ["view", "view_own", "manage"],
		tasks: ["add"],
		zones: ["view"],
	},
	reserved: { "logistics.tasks.add": "§2.4", "logistics.zones.view": "§2.4" },
	roles: {
		admin: ["logistics.*"],
		logistics_operator: ["logistics.*.add", "logistics.*.view"],
		rider: ["logistics.fleet.view_own"],
		// A user with any other role may be a customer, who must not see names.
		logistics_viewer: ["logistics.zones.view"],
	},
	firstRole: [
		[["superuser", "admin"], "admin"],
		[["manager", "staff"], "logistics_operator"],
		[["rider"], "rider"],
		[everyone, "logistics_viewer"],
	],
	settings,
	failures: [failures],
	migrations: [{ name: "logistics", folder: join(import.meta.dirname, "../database") }],
	routes: [riderRoutes],
	consumes: riderConsumers,
	jobs: [reportFleet, recoverReports],
});
