import { chassisFailures } from "@lango/chassis";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findInvitation, invitationKeyOf } from "../invitations/invitation.store.ts";
import { findTenantBySlug, type Tenant } from "../tenants/tenant.store.ts";
import { admissionFor } from "./admission.ts";

/** The way into a tenant: an invitation or a join request. */
export type JoinTarget = { tenant: Tenant; invitationId: string | undefined; role: "member" | "rider" };

export type JoinInput = {
	tenantSlug: string | undefined;
	invitation: string | undefined;
	requestedRole: "member" | "rider" | undefined;
	emailFolded: string;
	now: Date;
};

/**
 * Finds the tenant to join and checks that the person may join it. Throws `tenant_not_found`,
 * `tenant_inactive`, `join_refused`, and `invitation_invalid` for an invitation that is used, expired,
 * withdrawn, unknown, or for another tenant or address. The answer does not say which.
 */
export async function findJoinTarget(
	{ db, settings }: Pick<Dependencies, "db" | "settings">,
	input: JoinInput,
): Promise<JoinTarget> {
	const { invitation, requestedRole: role = "member" } = input;
	if (invitation === undefined && input.tenantSlug === undefined)
		throw chassisFailures.invalid_input({
			message: "tenant_slug is missing. Name the tenant, or send an invitation.",
			fields: { field: "tenant_slug", in: "body" },
		});
	const invited =
		invitation === undefined ? undefined : await requireInvitation(db, { ...input, invitation });
	const slug = invited?.tenantSlug ?? input.tenantSlug ?? "";
	const tenant = await findTenantBySlug(db, slug);
	if (tenant === undefined) throw failures.tenant_not_found({ fields: { field: "tenant_slug", in: "body" } });
	if (tenant.status !== "active") throw failures.tenant_inactive();
	const mayRequest =
		tenant.slug !== settings.platformOwnerSlug && admissionFor(tenant.join_policy, role) !== undefined;
	if (invited === undefined && !mayRequest) throw failures.join_refused();
	return { tenant, invitationId: invited?.id, role };
}

async function requireInvitation(
	db: Dependencies["db"],
	{ invitation, emailFolded, tenantSlug, now }: JoinInput & { invitation: string },
) {
	const key = invitationKeyOf(invitation);
	const found = key && (await findInvitation(db, { ...key, now }));
	const fits =
		found?.emailFolded === emailFolded && (tenantSlug === undefined || found.tenantSlug === tenantSlug);
	if (found === undefined || !fits) throw invitationInvalid();
	return found;
}

export const invitationInvalid = () =>
	failures.invitation_invalid({ fields: { field: "invitation", in: "body" } });
