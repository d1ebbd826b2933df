import { callerOf, type Route, route, signedIn } from "@lango/chassis";
import { FailureBody, permissionsOf } from "@lango/contracts";
import Type from "typebox";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findSession } from "../sessions/session.store.ts";
import { isHqUser, rolesOf, userStatus, workplaceOf } from "../token/standing.ts";
import { listMemberships } from "./user.store.ts";

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

export const meRoutes = ({ db, now, settings }: Dependencies): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/auth/me",
		access: signedIn(),
		schema: {
			summary: "Who is signed in, with roles, permissions and tenants",
			response: { 200: Me, 401: FailureBody },
		},
		handler: async (request) => {
			const caller = callerOf(request);
			const sessionId = caller.kind === "user" ? caller.claims.sid : undefined;
			const session = sessionId === undefined ? undefined : await findSession(db, { sessionId, now: now() });
			if (session === undefined) throw failures.session_ended();
			const { standing, outletId } = session;
			const { user, tenant } = standing;
			const roles = rolesOf(standing);
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
				is_platform_owner:
					tenant.slug === settings.platformOwnerSlug &&
					user.primaryTenantId === tenant.id &&
					roles.includes("superuser"),
				outlet_id: workplaceOf(standing, outletId).outlet?.id ?? "",
				is_hq_user: isHqUser(standing),
				memberships: await listMemberships(db, user.id),
				profile: { selected_plan: user.selectedPlan },
			};
		},
	}),
];
