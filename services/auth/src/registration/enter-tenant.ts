import type { Database } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { takeInvitation } from "../invitations/invitation.store.ts";
import { lockMembership, recordMembership, replaceMemberOutlets } from "../members/member.store.ts";
import { findTenant } from "../tenants/tenant.store.ts";
import { adoptPrimaryTenant } from "../users/person.store.ts";
import { admissionFor } from "./admission.ts";
import { invitationInvalid, type JoinTarget } from "./join-target.ts";

type Entering = { target: JoinTarget; user: { id: string; emailFolded: string }; origin: Origin };
export type Entered = { roles: readonly string[]; status: string };

/**
 * Makes a person a member, inside the tenant's transaction. Checks the invitation and the join policy
 * again. Throws `invitation_invalid`, `join_refused`, `tenant_inactive`, and `already_member`.
 */
export async function enterTenant(tx: Database, { target, user, origin }: Entering): Promise<Entered> {
	const key = { tenantId: target.tenant.id, userId: user.id };
	await lockMembership(tx, key);
	const { tenant, ...grant } = await grantThrough(tx, { target, user, origin });
	const isInvited = target.invitationId !== undefined;
	const status = await recordMembership(tx, {
		...key,
		...grant,
		now: origin.now,
		// A removed member needs approval or an invitation, even if the join policy is open.
		statusAgain: isInvited || grant.status !== "active" ? grant.status : "pending_review",
		replaces: isInvited ? ["pending", "pending_review", "removed"] : ["removed"],
	});
	if (status === undefined) throw failures.already_member();
	await replaceMemberOutlets(tx, { ...key, outletIds: grant.outletIds });
	await adoptPrimaryTenant(tx, key);
	await recordAudit(tx, origin, {
		tenantId: tenant.id,
		action: "member.joined",
		subject: user.id,
		after: { roles: grant.roles, status, invitation_id: target.invitationId ?? null },
	});
	return { roles: grant.roles, status };
}

async function grantThrough(tx: Database, { target, user, origin }: Entering) {
	const tenant = await findTenant(tx, target.tenant.id);
	if (tenant?.status !== "active") throw failures.tenant_inactive();
	if (target.invitationId !== undefined) {
		const { id: userId, emailFolded } = user;
		const grant = await takeInvitation(tx, {
			tenantId: tenant.id,
			id: target.invitationId,
			userId,
			emailFolded,
			now: origin.now,
		});
		if (grant === undefined) throw invitationInvalid();
		return { tenant, ...grant, status: "active" };
	}
	const admission = admissionFor(tenant.join_policy, target.role);
	if (admission === undefined) throw failures.join_refused();
	return { tenant, roles: [admission.role], status: admission.status, isHq: false, outletIds: [] };
}
