import type { Route } from "@lango/chassis";
import { tenantAdminRoutes } from "./admin/tenant-admin.routes.ts";
import { userAdminRoutes } from "./admin/user-admin.routes.ts";
import { auditRoutes } from "./audit/audit.routes.ts";
import { authorizeRoutes } from "./authorize/authorize.routes.ts";
import { clientAdminRoutes } from "./clients/client-admin.routes.ts";
import type { Dependencies } from "./dependencies.ts";
import { discoveryRoutes } from "./discovery/discovery.routes.ts";
import { invitationRoutes } from "./invitations/invitation.routes.ts";
import { keyAdminRoutes } from "./keys/key-admin.routes.ts";
import { linkRoutes } from "./links/link.routes.ts";
import { joinRequestRoutes } from "./members/join-request.routes.ts";
import { memberRoutes } from "./members/member.routes.ts";
import { outletRoutes } from "./outlets/outlet.routes.ts";
import { outletListRoutes } from "./outlets/outlet-list.routes.ts";
import { passwordRoutes } from "./passwords/password.routes.ts";
import { registrationRoutes } from "./registration/registration.routes.ts";
import { logoutRoutes } from "./sessions/logout.routes.ts";
import { outletExchangeRoutes } from "./sessions/outlet-exchange.routes.ts";
import { ownSessionRoutes } from "./sessions/own-session.routes.ts";
import { refreshRoutes } from "./sessions/refresh.routes.ts";
import { rpLogoutRoutes } from "./sessions/rp-logout.routes.ts";
import { selectOutletRoutes } from "./sessions/select-outlet.routes.ts";
import { signInRoutes } from "./sign-in/sign-in.routes.ts";
import { logoRoutes } from "./tenants/logo.routes.ts";
import { settingsRoutes } from "./tenants/settings.routes.ts";
import { tenantRoutes } from "./tenants/tenant.routes.ts";
import { introspectionRoutes } from "./token/introspection.routes.ts";
import { tokenRoutes } from "./token/token.routes.ts";
import { userinfoRoutes } from "./userinfo/userinfo.routes.ts";
import { meRoutes } from "./users/me.routes.ts";
import { verifyEmailRoutes } from "./users/verify-email.routes.ts";

/** Every address of the service, by whom it is for. */
export const routes: ReadonlyArray<(dependencies: Dependencies) => readonly Route[]> = [
	// Signing on: what OAuth 2 and OpenID Connect ask of a provider (spec §4.1, §5).
	discoveryRoutes,
	authorizeRoutes,
	tokenRoutes,
	userinfoRoutes,
	introspectionRoutes,
	rpLogoutRoutes,
	// People: they come in, go out, and look after what is theirs.
	signInRoutes,
	registrationRoutes,
	refreshRoutes,
	selectOutletRoutes,
	outletExchangeRoutes,
	logoutRoutes,
	meRoutes,
	passwordRoutes,
	verifyEmailRoutes,
	ownSessionRoutes,
	// Tenants: what anybody sees of one, and what its administrators change.
	tenantRoutes,
	settingsRoutes,
	logoRoutes,
	outletListRoutes,
	outletRoutes,
	memberRoutes,
	joinRequestRoutes,
	invitationRoutes,
	auditRoutes,
	// The platform: its owner's administration, and what other services ask.
	clientAdminRoutes,
	keyAdminRoutes,
	tenantAdminRoutes,
	userAdminRoutes,
	linkRoutes,
];
