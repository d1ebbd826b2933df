import type { Caller } from "@lango/chassis";

/** Changing a tenant's subscription. */
export const changeRight = "subscriptions.subscriptions.change";
/** The catalogue, what is set for single tenants, and their clocks. */
export const platformRight = "subscriptions.platform.manage";

/** Who holds which right, for the printed policy. */
export const rights = {
	permissions: [changeRight, platformRight],
	roles: { admin: [changeRight], platform_owner: [changeRight, platformRight] },
};

/**
 * Whether somebody who may see the tenant may use the right: administrators change their own tenant's subscription, the
 * platform owner everything. Programs read only.
 */
export function holdsRight(caller: Caller, right: string): boolean {
	if (caller.kind !== "user") return false;
	if (caller.isPlatformOwner) return rights.roles.platform_owner.includes(right);
	return (caller.claims.roles ?? []).includes("admin") && rights.roles.admin.includes(right);
}
