import { chassisFailures } from "@lango/chassis";
import { OutletScope, permissionsOf, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import Value from "typebox/value";
import { isPlatformOwner } from "../memberships/platform-owner.ts";
import { isHqUser, rolesOf, scopeClaimsOf, userStatus, workplaceOf } from "../memberships/standing.ts";
import type { LiveSession } from "../sessions/grant/session.store.ts";
import type { Membership } from "./user.store.ts";

const Strings = Type.Array(Type.String());
const OrNull = Type.Union([Type.String(), Type.Null()]);

/** Identity, global roles and permissions of whoever asks (spec §4.1, §2.3). */
export const Me = Type.Object({
	user_id: Type.String(),
	email: Type.String(),
	email_verified: Type.Boolean(),
	name: Type.String(),
	status: Type.String(),
	roles: Strings,
	permissions: Strings,
	tenant_id: Type.String(),
	tenant_slug: Type.String(),
	primary_tenant_id: OrNull,
	is_platform_owner: Type.Boolean(),
	outlet_id: Type.String(),
	is_hq_user: Type.Boolean(),
	outlet_scope: OutletScope,
	outlet_ids: Type.Optional(Strings),
	memberships: Type.Array(
		Type.Object({
			tenant_id: Type.String(),
			slug: Type.String(),
			name: Type.String(),
			roles: Strings,
			status: Type.String(),
		}),
	),
	profile: Type.Object({ selected_plan: OrNull }),
});

/**
 * A session's person as `auth/me` tells of them. The platform owner is who every service takes for it by the same token; that
 * the platform's tenant is a superuser's primary one (spec §2.3) is kept by the database, whoever gives the role.
 */
export function describeMe(
	{ standing, outletId }: LiveSession,
	{ memberships, platformOwnerSlug }: { memberships: Membership[]; platformOwnerSlug: string },
): Static<typeof Me> {
	const { user, tenant } = standing;
	const roles = rolesOf(standing);
	const { outlet } = workplaceOf(standing, outletId);
	return {
		user_id: user.id,
		email: user.email,
		email_verified: user.emailVerified,
		name: user.name,
		status: userStatus(standing),
		roles: [...roles],
		permissions: permissionsOf(roles),
		tenant_id: tenant.id,
		tenant_slug: tenant.slug,
		primary_tenant_id: user.primaryTenantId,
		is_platform_owner: isPlatformOwner({ tenantSlug: tenant.slug, roles }, platformOwnerSlug),
		outlet_id: outlet?.id ?? "",
		is_hq_user: isHqUser(standing),
		...scopeClaimsOf(standing, outlet),
		memberships,
		profile: { selected_plan: user.selectedPlan },
	};
}

/**
 * Compares the outlet of X-Outlet-ID with the scope that the answer states, as services do (spec §4.3). A malformed id is ignored, and
 * so is every id for a person without outlets, such as a customer. Throws 403 `outlet_forbidden`.
 */
export function requireOutletInScope(
	{ outlet_scope, outlet_id, outlet_ids = [] }: Static<typeof Me>,
	named: string | undefined,
): void {
	if (outlet_scope === "all" || named === undefined || !Value.Check(Uuid, named)) return;
	const scope = outlet_scope === "selected" ? [outlet_id] : outlet_ids;
	if (scope.length > 0 && !scope.includes(named.toLowerCase())) throw chassisFailures.outlet_forbidden();
}
