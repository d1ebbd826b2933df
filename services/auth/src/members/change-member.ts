import type { Approval, AuditAction } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import type { Administrator } from "../administrators/admit-administrator.ts";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { endUserSessions } from "../sessions/logout/end-user-sessions.ts";
import { repointPrimaryTenant } from "../users/person.store.ts";
import { announceUser } from "./announce-user.ts";
import { type Place, requireAdminLeft, requireGrantable, requireOutlets } from "./grant-rules.ts";
import {
	changeMembership,
	listMemberOutlets,
	lockMembership,
	type Membership,
	removeUnusedCodes,
	replaceMemberOutlets,
} from "./member.store.ts";

type Needs = Pick<Dependencies, "db" | "settings">;
/** The member to change, the tenant, and the acting administrator. */
export type Changing = { tenant: Place; userId: string; by: Administrator };
type Work = {
	tx: Database;
	before: Membership;
	key: { tenantId: string; userId: string };
	isPlatform: boolean;
};

const waiting: readonly string[] = ["pending", "pending_review"];

/** Replaces the roles of a member. Throws `member_not_found`, `role_forbidden`, `last_admin`. */
export function changeRoles(
	needs: Needs,
	{ roles, ...changing }: Changing & { roles: readonly string[] },
	origin: Origin,
): Promise<void> {
	return withMember(needs, changing, async ({ tx, before, key, isPlatform }) => {
		if (before.status !== "active") throw failures.member_not_found();
		requireGrantable({ isPlatform, by: changing.by, roles, before: before.roles });
		await requireAdminLeft(tx, { ...key, isPlatform, before, roles });
		await changeMembership(tx, { ...key, ...before, roles });
		await announce(tx, {
			key,
			origin,
			action: "member.roles_changed",
			before: { roles: before.roles },
			after: { roles },
		});
	});
}

type Workplace = { outletIds: readonly string[]; isHq: boolean | undefined };

/** Replaces the outlets of a member. Throws `member_not_found` and `outlet_not_found`. */
export function changeOutlets(
	needs: Needs,
	{ outletIds, isHq, ...changing }: Changing & Workplace,
	origin: Origin,
): Promise<void> {
	return withMember(needs, changing, async ({ tx, before, key }) => {
		if (before.status !== "active") throw failures.member_not_found();
		const had = { outlet_ids: await listMemberOutlets(tx, key), is_hq: before.isHq };
		const has = { outlet_ids: outletIds, is_hq: isHq ?? before.isHq };
		await requireOutlets(tx, { ...key, outletIds });
		await replaceMemberOutlets(tx, { ...key, outletIds });
		await changeMembership(tx, { ...key, ...before, isHq: has.is_hq });
		await announce(tx, { key, origin, action: "member.outlets_changed", before: had, after: has });
	});
}

/**
 * Removes a member from the tenant and ends their sessions in it. Throws `member_not_found`,
 * `role_forbidden`, `last_admin`.
 */
export function removeMember(needs: Needs, changing: Changing, origin: Origin): Promise<void> {
	return withMember(needs, changing, async ({ tx, before, key, isPlatform }) => {
		if (before.status !== "active") throw failures.member_not_found();
		requireGrantable({ isPlatform, by: changing.by, roles: [], before: before.roles });
		await requireAdminLeft(tx, { ...key, isPlatform, before, roles: [] });
		await take(tx, { key, before, origin, action: "member.removed" });
	});
}

/**
 * Approves a join request, with the requested or with other roles. Throws `request_not_found`,
 * `role_forbidden`, `outlet_not_found`.
 */
export function approve(
	needs: Needs,
	{ approval, ...changing }: Changing & { approval: Approval },
	origin: Origin,
): Promise<void> {
	return withMember(needs, changing, async ({ tx, before, key, isPlatform }) => {
		if (!waiting.includes(before.status)) throw failures.request_not_found();
		const { roles = before.roles, outlet_ids: outletIds = [], is_hq: isHq = before.isHq } = approval;
		requireGrantable({ isPlatform, by: changing.by, roles });
		await requireOutlets(tx, { ...key, outletIds });
		await changeMembership(tx, { ...key, roles, isHq, status: "active" });
		await replaceMemberOutlets(tx, { ...key, outletIds });
		await announce(tx, {
			key,
			origin,
			action: "join_request.approved",
			before: { roles: before.roles, status: before.status },
			after: { roles, status: "active", outlet_ids: outletIds, is_hq: isHq },
		});
	});
}

/** Rejects a join request. Throws `request_not_found`. */
export function refuse(needs: Needs, changing: Changing, origin: Origin): Promise<void> {
	return withMember(needs, changing, async ({ tx, before, key }) => {
		if (!waiting.includes(before.status)) throw failures.request_not_found();
		await take(tx, { key, before, origin, action: "join_request.refused" });
	});
}

function withMember(
	{ db, settings }: Needs,
	{ tenant, userId }: Changing,
	work: (work: Work) => Promise<void>,
): Promise<void> {
	return inTenant(db, tenant.id, async (tx) => {
		const key = { tenantId: tenant.id, userId };
		const before = await lockMembership(tx, key);
		const isPlatform = tenant.slug === settings.platformOwnerSlug;
		await work({ tx, key, isPlatform, before: before ?? { roles: [], status: "removed", isHq: false } });
	});
}

type Announcing = { key: Work["key"]; origin: Origin; action: AuditAction; before: unknown; after: unknown };

async function announce(tx: Database, { key, origin, ...row }: Announcing): Promise<void> {
	await recordAudit(tx, origin, { tenantId: key.tenantId, subject: key.userId, ...row });
	await announceUser(tx, { ...key, origin });
}

type Taking = { key: Work["key"]; before: Membership; origin: Origin; action: AuditAction };

async function take(tx: Database, { key, before, origin, action }: Taking): Promise<void> {
	await repointPrimaryTenant(tx, key);
	await changeMembership(tx, { ...key, ...before, status: "removed", isHq: false });
	await replaceMemberOutlets(tx, { ...key, outletIds: [] });
	await removeUnusedCodes(tx, { ...key, now: origin.now });
	await endUserSessions(tx, { ...key, because: "access_removed", origin });
	const had = { roles: before.roles, status: before.status };
	await announce(tx, { key, origin, action, before: had, after: { status: "removed" } });
}
