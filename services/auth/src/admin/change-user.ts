import { type AdminUser, authUserDeleted, authUserDisabled } from "@lango/contracts";
import { erasePersonFromEvents, recordEvent } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceUser } from "../members/announce-user.ts";
import { hasOther, lockMembership } from "../members/member.store.ts";
import { endUserSessions } from "../sessions/logout/end-user-sessions.ts";
import { findTenantBySlug } from "../tenants/tenant.store.ts";
import {
	changeUserStatus,
	eraseUserRows,
	findUser,
	listTenantsOfUser,
	lockUserStatus,
} from "./admin-user.store.ts";

type Needs = Pick<Dependencies, "db" | "settings">;

/**
 * Disables a user in every tenant and ends their sessions. Throws `user_not_found`, and `last_admin` for
 * the last superuser.
 */
export async function disableUser(needs: Needs, userId: string, origin: Origin): Promise<AdminUser> {
	await inPlatform(needs, userId, async (tx, status) => {
		if (status === "disabled") return;
		await endUserSessions(tx, { userId, because: "suspended", origin });
		const version = await changeUserStatus(tx, { userId, status: "disabled" });
		await recordEvent(tx, authUserDisabled, {
			subject: userId,
			correlationId: origin.requestId,
			now: origin.now,
			data: { user_id: userId, version },
		});
		const change = { before: { status }, after: { status: "disabled" } };
		await recordAudit(tx, origin, {
			action: "user.disabled",
			subject: userId,
			...change,
		});
	});
	return requireUser(needs, userId);
}

/** Enables a disabled user, who must sign in again. Throws `user_not_found`. */
export async function enableUser(needs: Needs, userId: string, origin: Origin): Promise<AdminUser> {
	await needs.db.transaction(async (tx) => {
		const status = await lockUserStatus(tx, userId);
		if (status === undefined || status === "deleted") throw failures.user_not_found();
		if (status !== "disabled") return;
		await changeUserStatus(tx, { userId, status: "active" });
		await announceUser(tx, { userId, origin });
		const change = { before: { status }, after: { status: "active" } };
		await recordAudit(tx, origin, { action: "user.enabled", subject: userId, ...change });
	});
	return requireUser(needs, userId);
}

/**
 * Erases a user: ends their sessions, removes their personal data, and publishes an event on which every
 * service does the same. Throws `user_not_found`, also if already erased, and `last_admin` for the last
 * superuser.
 */
export function eraseUser(needs: Needs, userId: string, origin: Origin): Promise<void> {
	return inPlatform(needs, userId, async (tx) => {
		const tenantIds = await listTenantsOfUser(tx, userId);
		await endUserSessions(tx, { userId, because: "erased", origin });
		await recordAudit(tx, origin, { action: "user.erased", subject: userId });
		const version = await changeUserStatus(tx, { userId, status: "deleted" });
		await eraseUserRows(tx, { userId, tenantIds });
		await recordEvent(tx, authUserDeleted, {
			subject: userId,
			correlationId: origin.requestId,
			now: origin.now,
			data: { user_id: userId, version },
		});
		await erasePersonFromEvents(tx, userId);
	});
}

/**
 * Works inside the platform owner's tenant and locks it, so that two superusers cannot disable each other
 * at the same time.
 */
async function inPlatform(
	{ db, settings }: Needs,
	userId: string,
	work: (tx: Database, status: string) => Promise<void>,
): Promise<void> {
	const platform = await findTenantBySlug(db, settings.platformOwnerSlug);
	if (platform === undefined) throw new Error("the platform owner's tenant does not exist");
	const key = { tenantId: platform.id, userId };
	await inTenant(db, platform.id, async (tx) => {
		const membership = await lockMembership(tx, key);
		const status = await lockUserStatus(tx, userId);
		if (status === undefined || status === "deleted") throw failures.user_not_found();
		const isSuperuser = membership?.status === "active" && membership.roles.includes("superuser");
		if (isSuperuser && status === "active" && !(await hasOther(tx, { ...key, role: "superuser" })))
			throw failures.last_admin();
		await work(tx, status);
	});
}

async function requireUser({ db }: Needs, userId: string): Promise<AdminUser> {
	const user = await findUser(db, userId);
	if (user === undefined) throw failures.user_not_found();
	return user;
}
