import { authInvitationCreated, type Invitation, type NewInvitation } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { hashSecret } from "@lango/tokens";
import type { Administrator } from "../administrators/admit-administrator.ts";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { mintLink, showLink } from "../links/send-link.ts";
import { requireGrantable, requireOutlets } from "../members/grant-rules.ts";
import { linkAddress } from "../secrets/link-secret.ts";
import { lockTenant } from "../tenants/tenant.store.ts";
import { foldEmail } from "../users/email.ts";
import {
	countOpen,
	isActiveMember,
	recordInvitation,
	type Withdrawn,
	withdrawInvitation,
	withdrawOpen,
} from "./invitation.store.ts";

const openMax = 1_000;
const daysDefault = 7;

type Place = { id: string; slug: string };
type Inviting = { tenant: Place; by: Administrator; invitation: NewInvitation };
/** The invitation with its token, which is shown to the administrator only once and sent to the address. */
export type Invited = Invitation & { token: string; url: string };

type Needs = Pick<Dependencies, "db" | "links" | "log" | "settings">;

/**
 * Invites an address to a tenant. An open invitation of the same address is withdrawn first, so it does not
 * count towards the limit. Throws `role_forbidden`, `outlet_not_found`, `already_member`,
 * `invitations_full`.
 */
export async function invite(
	dependencies: Needs,
	{ tenant, by, invitation }: Inviting,
	origin: Origin,
): Promise<Invited> {
	const { db, links, settings } = dependencies;
	const isPlatform = tenant.slug === settings.platformOwnerSlug;
	requireGrantable({ isPlatform, by, roles: invitation.roles });
	const { id, value } = mintLink(links, { kind: "invitation", tenantId: tenant.id });
	const { now } = origin;
	const days = invitation.expires_in_days ?? daysDefault;
	const email = invitation.email.trim();
	const row = {
		id,
		tenantId: tenant.id,
		email,
		emailFolded: foldEmail(email),
		roles: invitation.roles,
		outletIds: invitation.outlet_ids ?? [],
		isHq: invitation.is_hq ?? false,
		tokenHash: hashSecret(value),
		keyId: links.keyId,
		createdBy: by.userId,
		now,
		expiresAt: new Date(now.getTime() + days * 86_400_000),
	};
	const isHqUser = await inTenant(db, tenant.id, async (tx) => {
		const locked = await lockTenant(tx, tenant.id);
		for (const withdrawn of await withdrawOpen(tx, row))
			await recordWithdrawn(tx, { tenantId: tenant.id, withdrawn }, origin);
		await requireRoom(tx, row);
		const { isHqUser: isBoundToNone, invitedBy } = await recordInvitation(tx, row);
		const named = { ...tenant, name: locked?.name ?? tenant.slug };
		await announceInvitation(tx, { tenant: named, row, invitedBy, origin });
		return isBoundToNone;
	});
	showLink(dependencies, "invitation", value);
	return {
		id,
		email,
		roles: row.roles,
		outlet_ids: row.outletIds,
		is_hq: row.isHq,
		is_hq_user: isHqUser,
		status: "open",
		created_at: now.toISOString(),
		expires_at: row.expiresAt.toISOString(),
		token: value,
		url: linkAddress(settings.accountsUrl, "invitation", value),
	};
}

type Row = Parameters<typeof recordInvitation>[1];

async function requireRoom(tx: Database, row: Row): Promise<void> {
	await requireOutlets(tx, row);
	if (await isActiveMember(tx, row))
		throw failures.already_member({ fields: { field: "email", in: "body" } });
	if ((await countOpen(tx, row)) >= openMax) throw failures.invitations_full();
}

type Announcing = {
	tenant: Place & { name: string };
	row: Row;
	invitedBy: string | undefined;
	origin: Origin;
};

async function announceInvitation(
	tx: Database,
	{ tenant, row, invitedBy, origin }: Announcing,
): Promise<void> {
	await recordEvent(tx, authInvitationCreated, {
		subject: row.id,
		tenantId: tenant.id,
		tenantSlug: tenant.slug,
		correlationId: origin.requestId,
		now: origin.now,
		data: {
			link_id: row.id,
			email: row.email,
			expires_at: row.expiresAt.toISOString(),
			tenant_name: tenant.name,
			roles: row.roles,
			...(invitedBy !== undefined && { invited_by: invitedBy }),
			...(origin.language !== undefined && { locale: origin.language }),
		},
	});
	await recordAudit(tx, origin, {
		tenantId: tenant.id,
		action: "invitation.created",
		subject: row.id,
		after: { roles: row.roles, outlet_ids: row.outletIds, is_hq: row.isHq, expires_at: row.expiresAt },
	});
}

/** Withdraws an invitation that is open. Throws `invitation_not_found`, also for another tenant's. */
export function withdraw(
	{ db }: Pick<Dependencies, "db">,
	{ tenantId, id }: { tenantId: string; id: string },
	origin: Origin,
): Promise<void> {
	return inTenant(db, tenantId, async (tx) => {
		const withdrawn = await withdrawInvitation(tx, { tenantId, id, now: origin.now });
		if (withdrawn === undefined) throw failures.invitation_not_found();
		await recordWithdrawn(tx, { tenantId, withdrawn }, origin);
	});
}

function recordWithdrawn(
	tx: Database,
	{ tenantId, withdrawn: { id, roles } }: { tenantId: string; withdrawn: Withdrawn },
	origin: Origin,
): Promise<void> {
	return recordAudit(tx, origin, {
		tenantId,
		action: "invitation.withdrawn",
		subject: id,
		before: { roles },
	});
}
