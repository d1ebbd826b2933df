import { recordAudit } from "@lango/access";
import { defineService, failureTableOf, type Route } from "@lango/chassis";
import { auditRoutes } from "./audit/audit.routes.ts";
import { billingRoutes } from "./billing/billing.routes.ts";
import { checkoutRoutes } from "./billing/checkout.routes.ts";
import { paymentRoutes } from "./billing/payment.routes.ts";
import { paymentConsumers } from "./billing/receive-payment.ts";
import { returnConsumers } from "./billing/receive-return.ts";
import { sandboxConsumers } from "./billing/sandbox.ts";
import { invalidatingRoutes } from "./cache/invalidating.routes.ts";
import { addOnRoutes } from "./catalogue/add-on.routes.ts";
import { announceBundles } from "./catalogue/bundle.jobs.ts";
import { planRoutes } from "./catalogue/plan.routes.ts";
import { tenantAddOnRoutes } from "./catalogue/tenant-add-on.routes.ts";
import { clockRoutes } from "./clock/clock.routes.ts";
import { settings } from "./config.ts";
import { type Dependencies, openDependencies } from "./dependencies.ts";
import { failures } from "./failures.ts";
import { migrations } from "./migrations.ts";
import { billRoutes } from "./overage/bill.routes.ts";
import { billPaymentConsumers } from "./overage/bill-payment.ts";
import { billReturnConsumers } from "./overage/bill-return.ts";
import { pipeline } from "./pipeline.ts";
import { addOnAdminRoutes, planAdminRoutes } from "./platform/catalogue-admin.routes.ts";
import { catalogueListRoutes } from "./platform/catalogue-list.routes.ts";
import { tenantAdminRoutes } from "./platform/tenant-admin.routes.ts";
import { quoteRoutes } from "./quotes/quote.routes.ts";
import { rights } from "./rights.ts";
import { subscriptionRoutes } from "./snapshots/snapshot.routes.ts";
import { changeRoutes } from "./subscriptions/change.routes.ts";
import { recoverSettlements, settleTenants } from "./subscriptions/due.jobs.ts";
import { tenantConsumers } from "./tenants/tenant-consumers.ts";
import { publishLimitWarnings, purgeOldUsage } from "./usage/usage.jobs.ts";
import { usageRoutes } from "./usage/usage.routes.ts";

export { seedDemoSubscriptions } from "./demo.ts";

const changing =
	(routes: (dependencies: Dependencies) => readonly Route[]) =>
	(dependencies: Dependencies): readonly Route[] =>
		invalidatingRoutes(dependencies.caches, routes(dependencies));

/** Plans, subscriptions and usage: the second layer of authorization. */
export const subscriptions = defineService({
	name: "subscriptions",
	title: "Lango subscriptions",
	settings,
	migrations,
	failures: [failureTableOf(failures)],
	corsHeaders: ["Accept", "Authorization", "Content-Type", "X-Tenant-Slug", "X-Tenant-ID"],
	dependencies: openDependencies,
	pipeline: (dependencies: Dependencies) => pipeline(dependencies),
	routes: [
		planRoutes,
		addOnRoutes,
		subscriptionRoutes,
		changing(changeRoutes),
		changing(checkoutRoutes),
		changing(quoteRoutes),
		tenantAddOnRoutes,
		billingRoutes,
		paymentRoutes,
		billRoutes,
		catalogueListRoutes,
		planAdminRoutes,
		addOnAdminRoutes,
		changing(tenantAdminRoutes),
		auditRoutes,
		changing(clockRoutes),
		usageRoutes,
	],
	hasPriorityReads: true,
	consumes: ({ sandboxAnswer, ...changing }) => [
		...tenantConsumers,
		...paymentConsumers(changing),
		...billPaymentConsumers(changing),
		...returnConsumers(changing),
		...billReturnConsumers(changing),
		...(sandboxAnswer === undefined ? [] : sandboxConsumers({ answer: sandboxAnswer, now: changing.now })),
	],
	jobs: [settleTenants, recoverSettlements, announceBundles, purgeOldUsage, publishLimitWarnings],
	access: rights,
	recordPlatformAction: (tx, action) => recordAudit(tx, { tenantId: undefined, ...action }),
});
