import cookie from "@fastify/cookie";
import forms from "@fastify/formbody";
import { type Context, defineService, failureTableOf } from "@lango/chassis";
import { eventMigrations } from "@lango/events";
import { tenantAdminRoutes } from "./admin/tenant-admin.routes.ts";
import { userAdminRoutes } from "./admin/user-admin.routes.ts";
import { auditRoutes } from "./audit/audit.routes.ts";
import { authorizeRoutes } from "./authorize/authorize.routes.ts";
import { clientAdminRoutes } from "./clients/client-admin.routes.ts";
import { settings } from "./config.ts";
import { type Dependencies, openDependencies } from "./dependencies.ts";
import { discoveryRoutes } from "./discovery/discovery.routes.ts";
import { failures, oauthFailures } from "./failures.ts";
import { invitationRoutes } from "./invitations/invitation.routes.ts";
import { linkRoutes } from "./links/link.routes.ts";
import { joinRequestRoutes } from "./members/join-request.routes.ts";
import { memberRoutes } from "./members/member.routes.ts";
import { outletRoutes } from "./outlets/outlet.routes.ts";
import { passwordRoutes } from "./passwords/password.routes.ts";
import { pipeline } from "./pipeline.ts";
import { registrationRoutes } from "./registration/registration.routes.ts";
import { logoutRoutes } from "./sessions/logout.routes.ts";
import { outletExchangeRoutes } from "./sessions/outlet-exchange.routes.ts";
import { ownSessionRoutes } from "./sessions/own-session.routes.ts";
import { refreshRoutes } from "./sessions/refresh.routes.ts";
import { rpLogoutRoutes } from "./sessions/rp-logout.routes.ts";
import { selectOutletRoutes } from "./sessions/select-outlet.routes.ts";
import { signInRoutes } from "./sign-in/sign-in.routes.ts";
import { settingsRoutes } from "./tenants/settings.routes.ts";
import { tenantRoutes } from "./tenants/tenant.routes.ts";
import { introspectionRoutes } from "./token/introspection.routes.ts";
import { tokenRoutes } from "./token/token.routes.ts";
import { userinfoRoutes } from "./userinfo/userinfo.routes.ts";
import { meRoutes } from "./users/me.routes.ts";
import { verifyEmailRoutes } from "./users/verify-email.routes.ts";

export { demoPassword, seedDemo } from "./demo.ts";
export { removeKey, rotateKeys } from "./keys/rotate-keys.ts";
export { listKeyStates } from "./keys/signing-key.store.ts";

/** The sign-on service: people, tenants, outlets, OAuth clients, and the tokens that say who is who. */
export const auth = defineService({
	name: "auth",
	title: "Lango sign-on",
	settings,
	migrations: [eventMigrations, { name: "auth", folder: `${import.meta.dirname}/../database` }],
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
	routes: [
		discoveryRoutes,
		authorizeRoutes,
		tokenRoutes,
		signInRoutes,
		refreshRoutes,
		selectOutletRoutes,
		outletExchangeRoutes,
		logoutRoutes,
		rpLogoutRoutes,
		userinfoRoutes,
		introspectionRoutes,
		meRoutes,
		registrationRoutes,
		passwordRoutes,
		verifyEmailRoutes,
		ownSessionRoutes,
		linkRoutes,
		settingsRoutes,
		outletRoutes,
		memberRoutes,
		joinRequestRoutes,
		invitationRoutes,
		auditRoutes,
		clientAdminRoutes,
		tenantAdminRoutes,
		userAdminRoutes,
		tenantRoutes,
	],
	originAllowed:
		({ clients }: Dependencies) =>
		async (origin) =>
			(await clients.origins()).has(origin),
});
