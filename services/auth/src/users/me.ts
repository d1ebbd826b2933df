import { chassisFailures } from "@lango/chassis";
import { languages, OutletScope, permissionsOf, Shape, themes, Uuid } from "@lango/contracts";
import Type, { type Static } from "typebox";
import Value from "typebox/value";
import {
	isHqUser,
	rolesOf,
	scopeClaimsOf,
	userStatus,
	workplaceOf,
} from "../memberships/membership-state.ts";
import { isPlatformOwner } from "../memberships/platform-owner.ts";
import type { LiveSession } from "../sessions/grant/session.store.ts";
import type { Membership } from "./user.store.ts";

const Strings = Type.Array(Type.String());
const OrNull = Type.Union([Type.String(), Type.Null()]);

const Look = {
	locale: Type.Union([Type.Enum(languages, { type: "string" }), Type.Null()], {
		description: "The language that the person chose on the pages, also for mails; null before a choice",
	}),
	theme: Type.Union([Type.Enum(themes, { type: "string" }), Type.Null()], {
		description: "The theme that the person chose on the pages; null before a choice",
	}),
};

/** What a person changes of their account: the language and the theme; null removes the choice. */
export const MeChange = Shape({ locale: Type.Optional(Look.locale), theme: Type.Optional(Look.theme) });
export type MeChange = Static<typeof MeChange>;

/** Identity, global roles and permissions of the caller (spec §4.1, §2.3). */
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
	profile: Type.Object({
		selected_plan: OrNull,
		locale: Look.locale,
		theme: Look.theme,
	}),
});

/**
 * The response of `auth/me` for a session. `is_platform_owner` equals what every service derives from the
 * same token. `keepSuperuserHome` ensures that the platform owner's tenant is the primary tenant of a
 * superuser (spec §2.3).
 */
export function describeMe(
	{ membershipState, outletId }: Pick<LiveSession, "membershipState" | "outletId">,
	{ memberships, platformOwnerSlug }: { memberships: Membership[]; platformOwnerSlug: string },
): Static<typeof Me> {
	const { user, tenant } = membershipState;
	const roles = rolesOf(membershipState);
	const { outlet } = workplaceOf(membershipState, outletId);
	return {
		user_id: user.id,
		email: user.email,
		email_verified: user.emailVerified,
		name: user.name,
		status: userStatus(membershipState),
		roles: [...roles],
		permissions: permissionsOf(roles),
		tenant_id: tenant.id,
		tenant_slug: tenant.slug,
		primary_tenant_id: user.primaryTenantId,
		is_platform_owner: isPlatformOwner({ tenantSlug: tenant.slug, roles }, platformOwnerSlug),
		outlet_id: outlet?.id ?? "",
		is_hq_user: isHqUser(membershipState),
		...scopeClaimsOf(membershipState, outlet),
		memberships,
		profile: { selected_plan: user.selectedPlan, locale: user.locale, theme: user.theme },
	};
}

/**
 * Compares the outlet of X-Outlet-ID with the scope that the answer states, as services do (spec §4.3). A
 * malformed id is ignored, and so is every id for a person without outlets, such as a customer. Throws 403
 * `outlet_forbidden`.
 */
export function requireOutletInScope(
	{ outlet_scope, outlet_id, outlet_ids = [] }: Static<typeof Me>,
	named: string | undefined,
): void {
	if (outlet_scope === "all" || named === undefined || !Value.Check(Uuid, named)) return;
	const scope = outlet_scope === "selected" ? [outlet_id] : outlet_ids;
	if (scope.length > 0 && !scope.includes(named.toLowerCase())) throw chassisFailures.outlet_forbidden();
}
