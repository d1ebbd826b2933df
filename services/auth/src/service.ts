import cookie from "@fastify/cookie";
import forms from "@fastify/formbody";
import { type Context, defineService, failureTableOf } from "@lango/chassis";
import { eventMigrations } from "@lango/events";
import { jobMigrations } from "@lango/jobs";
import { finishTenantErasures } from "./admin/admin-tenant.jobs.ts";
import { recordPlatformAction } from "./audit/record-platform-action.ts";
import { settings } from "./config.ts";
import type { Dependencies } from "./dependencies.ts";
import { failures, oauthFailures } from "./failures.ts";
import { purgeOldLinks } from "./links/link.jobs.ts";
import { openDependencies } from "./open-dependencies.ts";
import { announceAssignedMembers } from "./outlets/outlet.jobs.ts";
import { multiOutlet } from "./outlets/require-multi-outlet.ts";
import { pipeline } from "./pipeline.ts";
import { routes } from "./service.routes.ts";
import { purgeIdleSessions, purgeSessions } from "./sessions/purge/session.jobs.ts";
import { entitlementsChanged } from "./subscriptions/subscription-change.ts";

export { demoPassword, seedDemo } from "./demo.ts";
export { announceAll } from "./platform/announce-all.ts";
export { foundPlatform } from "./platform/found-platform.ts";

/** The sign-on service: people, tenants, outlets, OAuth clients, and tokens. */
export const auth = defineService({
	name: "auth",
	title: "Lango sign-on",
	settings,
	migrations: [
		eventMigrations,
		jobMigrations,
		{ name: "auth", folder: `${import.meta.dirname}/../database` },
	],
	failures: [failureTableOf(failures), failureTableOf(oauthFailures)],
	corsHeaders: [
		"Accept",
		"Authorization",
		"Content-Type",
		"X-Request-ID",
		"X-Requested-With",
		"X-API-Key",
		"X-Tenant-Slug",
		"X-Tenant-ID",
	],
	dependencies: (context: Context) => openDependencies(context),
	plugins: async (app) => {
		await app.register(forms, { bodyLimit: 64 * 1024 });
		await app.register(cookie);
	},
	pipeline,
	routes,
	consumes: () => [entitlementsChanged],
	recordPlatformAction: recordPlatformAction,
	requiredFeatures: [multiOutlet],
	jobs: [purgeSessions, purgeIdleSessions, purgeOldLinks, finishTenantErasures, announceAssignedMembers],
	originAllowed:
		({ clients }: Dependencies) =>
		async (origin) =>
			(await clients.origins()).has(origin),
});
