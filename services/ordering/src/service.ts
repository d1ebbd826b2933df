import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { catalogRoutes } from "./catalog/item.routes.ts";
import { settings } from "./config.ts";
import { customerConsumers } from "./customers/customer-consumers.ts";
import { failures } from "./failures.ts";
import { menuRoutes } from "./menu/menu.routes.ts";
import { placeRoutes } from "./menu/place.routes.ts";
import { orderRoutes } from "./orders/order.routes.ts";
import { recoverReports, reportOrders } from "./usage/report.jobs.ts";

export { seedDemoMenu } from "./demo.ts";

/** Ordering: the public menu, the catalogue behind it, and orders within the plan's limit. */
export const ordering = defineDomainService({
	name: "ordering",
	title: "Ordering service",
	base: "/api/v1/:tenant",
	product: "ordering",
	permissions: {
		orders: ["add", "view", "view_own", "change", "change_own"],
		catalog: ["view", "change"],
	},
	roles: {
		ordering_admin: ["ordering.*"],
		ordering_operator: ["ordering.orders.*", "ordering.catalog.view"],
		ordering_customer: [
			"ordering.orders.add",
			"ordering.orders.view_own",
			"ordering.orders.change_own",
			"ordering.catalog.view",
		],
		ordering_viewer: ["ordering.*.view"],
	},
	firstRole: [
		[["superuser", "admin"], "ordering_admin"],
		[["manager", "staff", "receptionist", "cashier", "waiter", "kitchen", "bar"], "ordering_operator"],
		[["member"], "ordering_customer"],
		[everyone, "ordering_viewer"],
	],
	settings,
	configListedAt: "/config/entries",
	corsHeaders: [
		"X-Request-ID",
		"X-RateLimit-Limit",
		"X-RateLimit-Remaining",
		"X-RateLimit-Reset",
		"Idempotency-Key",
	],
	failures: [failures],
	migrations: [{ name: "ordering", folder: join(import.meta.dirname, "../database") }],
	routes: [menuRoutes, placeRoutes, catalogRoutes, orderRoutes],
	consumes: customerConsumers,
	jobs: [reportOrders, recoverReports],
});
