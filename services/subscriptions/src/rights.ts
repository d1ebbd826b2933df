import type { Caller } from "@lango/chassis";

/** Changing a tenant's subscription. */
export const changeRight = "subscriptions.subscriptions.change";
/** Telling of usage and overage, and consuming. */
export const usageRight = "subscriptions.usage.add";
/** Giving back what was consumed, and reporting less than nothing: for who counts, not for who is billed. */
export const takeBackRight = "subscriptions.usage.take_back";
/** The catalogue, what is set for single tenants, and their clocks. */
export const platformRight = "subscriptions.platform.manage";

/** Who holds which right, for the printed policy. */
export const rights = {
	permissions: [changeRight, usageRight, takeBackRight, platformRight],
	roles: {
		admin: [changeRight, usageRight],
		platform_owner: [changeRight, usageRight, takeBackRight, platformRight],
		api_key: [usageRight, takeBackRight],
	},
};

/**
 * Whether somebody who may see the tenant may use the right: administrators change their own tenant's subscription, the
 * platform owner everything. Services with a key for `usage.report` tell of usage.
 */
export function hasRight(caller: Caller, right: string): boolean {
	if (caller.kind === "key")
		return rights.roles.api_key.includes(right) && caller.permissions.includes("usage.report");
	if (caller.kind !== "user") return false;
	if (caller.isPlatformOwner) return rights.roles.platform_owner.includes(right);
	return (caller.claims.roles ?? []).includes("admin") && rights.roles.admin.includes(right);
}
