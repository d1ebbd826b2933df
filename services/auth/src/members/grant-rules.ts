import type { Database } from "@lango/postgres";
import type { Administrator } from "../administrators/admit-administrator.ts";
import { failures } from "../failures.ts";
import { countOutlets, hasOther, type Membership } from "./member.store.ts";

export type Place = { id: string; slug: string };
type Granting = {
	/** The tenant, and whether it is the platform owner's. */
	isPlatform: boolean;
	by: Administrator;
	roles: readonly string[];
	/** The previous roles of the member. */
	before?: readonly string[];
};

/**
 * Only a superuser can grant or revoke the role superuser, and only in the platform owner's tenant. Throws
 * `role_forbidden`.
 */
export function requireGrantable({ isPlatform, by, roles, before = [] }: Granting): void {
	const concerned = roles.includes("superuser") || before.includes("superuser");
	if (concerned && !(isPlatform && by.isPlatformOwner))
		throw failures.role_forbidden({ fields: { field: "roles", in: "body" } });
}

type Losing = {
	tenantId: string;
	userId: string;
	isPlatform: boolean;
	before: Membership;
	/** Undefined: the member is removed. */
	roles: readonly string[];
};

/** Refuses a change that leaves a tenant without an administrator. Locks the tenant. Throws `last_admin`. */
export async function requireAdminLeft(tx: Database, losing: Losing): Promise<void> {
	const { tenantId, userId, isPlatform, before, roles } = losing;
	const role = isPlatform ? "superuser" : "admin";
	const loses = before.status === "active" && before.roles.includes(role) && !roles.includes(role);
	if (loses && !(await hasOther(tx, { tenantId, userId, role }))) throw failures.last_admin();
}

/**
 * Refuses outlets of other tenants and archived ones. Callers of this operation are not bound to outlets
 * (decision 0013), so any outlet of the tenant is within their scope. Throws `outlet_not_found`.
 */
export async function requireOutlets(
	tx: Database,
	{ tenantId, outletIds }: { tenantId: string; outletIds: readonly string[] },
): Promise<void> {
	const distinct = new Set(outletIds.map((id) => id.toLowerCase()));
	if ((await countOutlets(tx, { tenantId, outletIds })) < distinct.size)
		throw failures.outlet_not_found({ fields: { field: "outlet_ids", in: "body" } });
}
