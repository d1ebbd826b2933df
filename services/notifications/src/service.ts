import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { providerRoutes } from "./accounts/provider.routes.ts";
import { settings } from "./config.ts";
import { contactRoutes } from "./contacts/contact.routes.ts";
import { exportRoutes } from "./contacts/export.routes.ts";
import { personContactRoutes } from "./contacts/person-contact.routes.ts";
import { creditRoutes } from "./credits/credit.routes.ts";
import { packRoutes } from "./credits/pack.routes.ts";
import { topUpRoutes } from "./credits/top-up.routes.ts";
import { topUpConsumers } from "./credits/top-up-consumers.ts";
import { deliveryRoutes } from "./deliveries/delivery.routes.ts";
import { recoverRedrives, redriveDeliveries } from "./deliveries/redrive.jobs.ts";
import { redriveRoutes } from "./deliveries/redrive.routes.ts";
import { deviceRoutes } from "./devices/device.routes.ts";
import { closeDigests, recoverDigests } from "./digests/digest.jobs.ts";
import { digestRoutes } from "./digests/digest.routes.ts";
import { expireAtRestOften, rearmLanesOften, recoverDeliveriesOften } from "./dispatch/recover.jobs.ts";
import { failures } from "./failures.ts";
import { inboxRoutes } from "./inbox/inbox.routes.ts";
import { renewSealsOften } from "./keys/key.jobs.ts";
import { letterheadChecks } from "./letterheads/letterhead-settings.ts";
import { limitRoutes } from "./limits/limit.routes.ts";
import { acceptLinkMails, recoverLinkMails } from "./links/link.jobs.ts";
import { linkConsumers } from "./links/link-consumers.ts";
import { feedRoutes } from "./messages/feed.routes.ts";
import { messageRoutes } from "./messages/message.routes.ts";
import { whatsappFeature } from "./messages/whatsapp-subscription.ts";
import { preferenceRoutes } from "./preferences/preference.routes.ts";
import { prepare } from "./prepare.ts";
import { weighProvidersOften } from "./providers/weigh.jobs.ts";
import { purgeOld } from "./purge/purge.jobs.ts";
import { erasePeople, recoverErasing } from "./recipients/recipient.jobs.ts";
import { recipientConsumers } from "./recipients/recipient-consumers.ts";
import { applyReportsOften } from "./reports/report.jobs.ts";
import { webhookRoutes } from "./reports/webhook.routes.ts";
import { endWarningsOften } from "./reputation/reputation.jobs.ts";
import { reputationRoutes } from "./reputation/reputation.routes.ts";
import { statisticsRoutes } from "./statistics/statistics.routes.ts";
import { suppressionRoutes } from "./suppressions/suppression.routes.ts";
import { testRoutes } from "./template-tests/test.routes.ts";
import { draftRoutes } from "./templates/draft.routes.ts";
import { previewRoutes } from "./templates/preview.routes.ts";
import { rollbackRoutes } from "./templates/rollback.routes.ts";
import { templateRoutes } from "./templates/template.routes.ts";
import { eventRoutes } from "./triggers/event.routes.ts";
import { purgeOldRuns, recoverRuns, runTriggers } from "./triggers/trigger.jobs.ts";
import { triggerRoutes } from "./triggers/trigger.routes.ts";
import { triggerConsumers } from "./triggers/trigger-consumers.ts";
import { unsubscribeRoutes } from "./unsubscribe/unsubscribe.routes.ts";
import { reportUsageOften } from "./usage/report.jobs.ts";
import { whatsappRoutes } from "./whatsapp/whatsapp.routes.ts";

export { seedDemoNotifications } from "./demo.ts";

/** Notifications: messages over five channels, from requests and events. */
export const notifications = defineDomainService({
	name: "notifications",
	title: "Notification service",
	base: "/api/v1/:tenant/notifications",
	// Payments text §6.1 has no prefix; identity text §4.3 has `auth/me` without the service's name.
	otherAddresses: [
		{ from: "/:tenant/notifications", to: "/api/v1/:tenant/notifications" },
		{ from: "/:tenant/auth/me", to: "/api/v1/:tenant/notifications/auth/me" },
		{ from: "/api/v1/:tenant/auth/me", to: "/api/v1/:tenant/notifications/auth/me" },
	],
	// Every plan may send (identity text §7: STARTER has e-mails, and not this product).
	product: "by route",
	permissions: {
		messages: ["add", "view", "change", "manage"],
		credits: ["add", "view", "change"],
		suppressions: ["view", "change"],
		preferences: ["view", "change"],
		contacts: ["view", "change"],
		limits: ["view", "change"],
		providers: ["view", "manage"],
		templates: ["view", "change"],
		triggers: ["view", "change"],
	},
	roles: {
		super_admin: ["notifications.*"],
		notifications_operator: [
			"notifications.messages.add",
			"notifications.messages.view",
			"notifications.messages.change",
			"notifications.credits.view",
			"notifications.suppressions.view",
			"notifications.templates.view",
			"notifications.triggers.view",
		],
		notifications_viewer: ["notifications.templates.view"],
	},
	firstRole: [
		[["superuser", "admin"], "super_admin"],
		[["manager", "staff"], "notifications_operator"],
		[everyone, "notifications_viewer"],
	],
	settings,
	requiredFeatures: [whatsappFeature],
	platformKey: {
		setting: "platformKey",
		permissions: ["notifications.messages.add", "notifications.contacts.change"],
	},
	failures: [failures],
	configChecks: letterheadChecks,
	migrations: [{ name: "notifications", folder: join(import.meta.dirname, "../database") }],
	keptOfDeleted: {
		credit_entries: "the ledger of what was paid; it has no personal data",
	},
	prepare,
	routes: [
		providerRoutes,
		messageRoutes,
		feedRoutes,
		deliveryRoutes,
		redriveRoutes,
		creditRoutes,
		packRoutes,
		topUpRoutes,
		whatsappRoutes,
		statisticsRoutes,
		reputationRoutes,
		eventRoutes,
		inboxRoutes,
		suppressionRoutes,
		preferenceRoutes,
		limitRoutes,
		deviceRoutes,
		contactRoutes,
		personContactRoutes,
		exportRoutes,
		triggerRoutes,
		digestRoutes,
		templateRoutes,
		previewRoutes,
		draftRoutes,
		rollbackRoutes,
		testRoutes,
	],
	routesOutsideBase: [webhookRoutes, unsubscribeRoutes],
	consumes: (parts) => [
		...triggerConsumers(parts),
		...recipientConsumers(parts),
		...linkConsumers(parts),
		...topUpConsumers(parts),
	],
	jobs: [
		recoverDeliveriesOften,
		rearmLanesOften,
		redriveDeliveries,
		recoverRedrives,
		erasePeople,
		recoverErasing,
		acceptLinkMails,
		recoverLinkMails,
		purgeOld,
		runTriggers,
		recoverRuns,
		purgeOldRuns,
		closeDigests,
		recoverDigests,
		reportUsageOften,
		applyReportsOften,
		weighProvidersOften,
		expireAtRestOften,
		endWarningsOften,
		renewSealsOften,
	],
});
