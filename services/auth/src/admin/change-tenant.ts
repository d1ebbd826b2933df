import type { AuditAction } from "@lango/contracts";
import { inTenant, violatedConstraint } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { isReservedSlug } from "../registration/slug.ts";
import { endTenantSessions } from "../sessions/grant/user-session.store.ts";
import { announceRevoked, type EndReason } from "../sessions/logout/end-session.ts";
import { announceTenant } from "../tenants/announce-tenant.ts";
import { looksLikePlatform } from "../tenants/platform-name.ts";
import { changeTenant, keepSlug, lockTenant, type Tenant } from "../tenants/tenant.store.ts";
import { removeTenantCodes } from "./admin-tenant.store.ts";

export type Needs = Pick<Dependencies, "db" | "settings">;

type Changing = {
	id: string;
	action: AuditAction;
	what: "updated" | "suspended" | "deleted";
	/** Undefined if the tenant already is in the new state; nothing is written then. */
	change: (before: Tenant) => Tenant | undefined;
	origin: Origin;
};

/**
 * Changes a tenant's row with its event and its audit row. Throws `tenant_not_found`, and
 * `platform_tenant`.
 */
export async function withTenant({ db, settings }: Needs, changing: Changing): Promise<Tenant> {
	const { id, action, what, change, origin } = changing;
	return inTenant(db, id, async (tx) => {
		const before = await lockTenant(tx, id);
		if (before === undefined || (before.status === "deleted" && what !== "deleted"))
			throw failures.tenant_not_found();
		if (before.slug === settings.platformOwnerSlug) throw failures.platform_tenant();
		const next = change(before);
		if (next === undefined) return before;
		const after = await changeTenant(tx, next);
		const isRenamed = before.slug !== after.slug;
		if (isRenamed) await keepSlug(tx, after);
		const previousSlug = isRenamed ? { previousSlug: before.slug } : {};
		await announceTenant(tx, after, { what, origin, ...previousSlug });
		await recordAudit(tx, origin, {
			tenantId: id,
			action,
			subject: id,
			before: { slug: before.slug, status: before.status },
			after: { slug: after.slug, status: after.status },
		});
		return after;
	});
}

/**
 * Suspends a tenant. Its status alone refuses sign-ins and sessions in this service. The sessions are then
 * ended in batches, so that every service receives an event for each. A repeated call ends the remaining
 * ones.
 */
export async function suspendTenant(needs: Needs, id: string, origin: Origin): Promise<Tenant> {
	const tenant = await withTenant(needs, {
		id,
		action: "tenant.suspended",
		what: "suspended",
		change: (before) => (before.status === "suspended" ? undefined : { ...before, status: "suspended" }),
		origin,
	});
	await endAllSessions(needs, { tenantId: id, because: "suspended", origin });
	return tenant;
}

/** Resumes a suspended tenant; its people must sign in again. */
export function resumeTenant(needs: Needs, id: string, origin: Origin): Promise<Tenant> {
	return withTenant(needs, {
		id,
		action: "tenant.resumed",
		what: "updated",
		change: (before) => (before.status === "active" ? undefined : { ...before, status: "active" }),
		origin,
	});
}

/** Changes a tenant's slug; the old one stays reserved for it. Throws `slug_taken`, `slug_reserved`. */
export async function renameTenant(
	needs: Needs,
	{ id, slug }: { id: string; slug: string },
	origin: Origin,
): Promise<Tenant> {
	const fields = { field: "slug", in: "body" };
	if (isReservedSlug(slug) || (await looksLikePlatform(needs, slug)))
		throw failures.slug_reserved({ fields });
	try {
		return await withTenant(needs, {
			id,
			action: "tenant.renamed",
			what: "updated",
			change: (before) => (before.slug === slug ? undefined : { ...before, slug }),
			origin,
		});
	} catch (error) {
		const constraint = violatedConstraint(error) ?? "";
		if (["tenants__slug_unique", "tenant_slugs__pkey"].includes(constraint))
			throw failures.slug_taken({ fields });
		throw error;
	}
}

const atOnce = 500;

/** Ends every session in a tenant in batches, each in a transaction with its events. */
export async function endAllSessions(
	{ db }: Pick<Needs, "db">,
	{ tenantId, because, origin }: { tenantId: string; because: EndReason; origin: Origin },
): Promise<void> {
	const { now, requestId: correlationId } = origin;
	for (;;) {
		const ended = await inTenant(db, tenantId, async (tx) => {
			await removeTenantCodes(tx, tenantId);
			const some = await endTenantSessions(tx, { tenantId, because, now, limit: atOnce });
			await announceRevoked(tx, some, { now, because, correlationId });
			return some.length;
		});
		if (ended < atOnce) return;
	}
}
