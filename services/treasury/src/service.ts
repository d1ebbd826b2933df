import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { settings } from "./config.ts";
import { permissions, reserved, roles } from "./permissions.ts";

/** The treasury: it collects money through two gateways, and keeps the ledger of it. */
export const treasury = defineDomainService({
	name: "treasury",
	title: "Treasury",
	base: "/api/v1/:tenant/treasury",
	product: "treasury",
	permissions,
	reserved,
	roles,
	firstRole: [
		[["superuser", "admin"], "finance_admin"],
		[["manager", "staff"], "treasury_operator"],
		[everyone, "treasury_viewer"],
	],
	settings,
	failures: [],
	migrations: [{ name: "treasury", folder: join(import.meta.dirname, "../database") }],
	keptOfDeleted: {},
	routes: [],
	routesOutsideBase: [],
	jobs: [],
});
