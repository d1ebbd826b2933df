import type { Route } from "@lango/chassis";
import { clientAdminRoutes } from "./admin/client-admin.routes.ts";
import { tenantAdminRoutes } from "./admin/tenant-admin.routes.ts";
import { userAdminRoutes } from "./admin/user-admin.routes.ts";
import { auditRoutes } from "./administrators/audit.routes.ts";
import { authorizeRoutes } from "./authorize/authorize.routes.ts";
import type { Dependencies } from "./dependencies.ts";
import { discoveryRoutes } from "./discovery/discovery.routes.ts";
import { introspectionRoutes } from "./introspection/introspection.routes.ts";
import { invitationRoutes } from "./invitations/invitation.routes.ts";
import { keyAdminRoutes } from "./keys/key-admin.routes.ts";
import { linkRoutes } from "./links/link.routes.ts";
import { joinRequestRoutes } from "./members/join-request.routes.ts";
import { memberRoutes } from "./members/member.routes.ts";
import { recipientRoutes } from "./members/recipient.routes.ts";
import { outletExchangeRoutes } from "./outlet-selection/outlet-exchange.routes.ts";
import { selectOutletRoutes } from "./outlet-selection/select-outlet.routes.ts";
import { outletRoutes } from "./outlets/outlet.routes.ts";
import { outletListRoutes } from "./outlets/outlet-list.routes.ts";
import { passwordRoutes } from "./passwords/password.routes.ts";
import { verifyEmailRoutes } from "./passwords/verify-email.routes.ts";
import { registrationRoutes } from "./registration/registration.routes.ts";
import { logoutRoutes } from "./sessions/logout/logout.routes.ts";
import { ownSessionRoutes } from "./sessions/logout/own-session.routes.ts";
import { rpLogoutRoutes } from "./sessions/logout/rp-logout.routes.ts";
import { signInRoutes } from "./sign-in/sign-in.routes.ts";
import { logoRoutes } from "./tenants/logo.routes.ts";
import { settingsRoutes } from "./tenants/settings.routes.ts";
import { tenantRoutes } from "./tenants/tenant.routes.ts";
import { refreshRoutes } from "./token/refresh.routes.ts";
import { resumeRoutes } from "./token/resume.routes.ts";
import { tokenRoutes } from "./token/token.routes.ts";
import { meRoutes } from "./userinfo/me.routes.ts";
import { userinfoRoutes } from "./userinfo/userinfo.routes.ts";

/** All routes of the service, by their callers. */
export const routes: ReadonlyArray<(dependencies: Dependencies) => readonly Route[]> = [
	// Signing on: what OAuth 2 and OpenID Connect ask of a provider (spec §4.1, §5).
	discoveryRoutes,
	authorizeRoutes,
	tokenRoutes,
	userinfoRoutes,
	introspectionRoutes,
	rpLogoutRoutes,
	// People: sign-in, sign-out, registration and their own account.
	signInRoutes,
	registrationRoutes,
	refreshRoutes,
	resumeRoutes,
	selectOutletRoutes,
	outletExchangeRoutes,
	logoutRoutes,
	meRoutes,
	passwordRoutes,
	verifyEmailRoutes,
	ownSessionRoutes,
	// Tenants: public data, and administration by the tenant.
	tenantRoutes,
	settingsRoutes,
	logoRoutes,
	outletListRoutes,
	outletRoutes,
	memberRoutes,
	joinRequestRoutes,
	invitationRoutes,
	auditRoutes,
	// The platform: administration by its owner, and routes for other services.
	clientAdminRoutes,
	keyAdminRoutes,
	tenantAdminRoutes,
	userAdminRoutes,
	linkRoutes,
	recipientRoutes,
];
