import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { settings } from "./config.ts";
import { deliveryRoutes } from "./deliveries/delivery.routes.ts";
import { rearmLanesOften, recoverDeliveriesOften } from "./dispatch/recover.jobs.ts";
import { failures } from "./failures.ts";
import { feedRoutes } from "./messages/feed.routes.ts";
import { messageRoutes } from "./messages/message.routes.ts";
import { prepare } from "./prepare.ts";

/** Notifications: messages over five channels, from requests and events. */
export const notifications = defineDomainService({
	name: "notifications",
	title: "Notification service",
	base: "/api/v1/:tenant/notifications",
	product: "notifications",
	permissions: {
		messages: ["add", "view", "change", "manage"],
	},
	roles: {
		super_admin: ["notifications.*"],
		notifications_operator: [
			"notifications.messages.add",
			"notifications.messages.view",
			"notifications.messages.change",
		],
		notifications_viewer: [],
	},
	firstRole: [
		[["superuser", "admin"], "super_admin"],
		[["manager", "staff"], "notifications_operator"],
		[everyone, "notifications_viewer"],
	],
	settings,
	failures: [failures],
	migrations: [{ name: "notifications", folder: join(import.meta.dirname, "../database") }],
	prepare,
	routes: [messageRoutes, feedRoutes, deliveryRoutes],
	jobs: [recoverDeliveriesOften, rearmLanesOften],
});
