import type { Caller } from "@lango/chassis";

/** Changing a tenant's subscription. */
export const changeRight = "subscriptions.subscriptions.change";
/** Telling of usage and overage, consuming and giving back. */
export const usageRight = "subscriptions.usage.add";
/** The catalogue, what is set for single tenants, and their clocks. */
export const platformRight = "subscriptions.platform.manage";

/** Who holds which right, for the printed policy. */
export const rights = {
	permissions: [changeRight, usageRight, platformRight],
	roles: {
		admin: [changeRight, usageRight],
		platform_owner: [changeRight, usageRight, platformRight],
		api_key: [usageRight],
	},
};

/**
 * Whether somebody who may see the tenant may use the right: administrators change their own tenant's subscription, the
 * platform owner everything. Services with an API key read, and tell of usage.
 */
export function holdsRight(caller: Caller, right: string): boolean {
	if (caller.kind === "key") return rights.roles.api_key.includes(right);
	if (caller.kind !== "user") return false;
	if (caller.isPlatformOwner) return rights.roles.platform_owner.includes(right);
	return (caller.claims.roles ?? []).includes("admin") && rights.roles.admin.includes(right);
}

/** Whether somebody who holds `usageRight` may report less than nothing: services and the platform owner. */
export const mayTakeBack = (caller: Caller): boolean =>
	caller.kind === "key" || (caller.kind === "user" && caller.isPlatformOwner);
