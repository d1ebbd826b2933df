/**
 * A complete domain service: one noun, three routes, two roles, one table. The chassis provides the rest:
 * sign-on, tenants, outlets, people, roles, keys, settings, limits, audit, events, health, reference. Its
 * README explains each line. `npx vitest run examples/bakery` creates its database and tests it.
 */
import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { failures, loafRoutes } from "./loaf.routes.ts";

export const bakery = defineDomainService({
	name: "bakery",
	title: "Bakery",
	base: "/api/v1/:tenant/bakery",
	port: 4555,
	permissions: { loaves: ["add", "view", "delete"] },
	roles: { baker: ["bakery.*"], guest: ["bakery.*.view"] },
	firstRole: [
		[["superuser", "admin"], "baker"],
		[everyone, "guest"],
	],
	migrations: [{ name: "bakery", folder: join(import.meta.dirname, "database") }],
	failures: [failures],
	routes: [loafRoutes],
});
