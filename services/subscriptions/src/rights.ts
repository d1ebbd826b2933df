import type { Caller } from "@lango/chassis";

/** Change a tenant's subscription. */
export const changeRight = "subscriptions.subscriptions.change";
/** Report usage and overage, and consume. */
export const usageRight = "subscriptions.usage.add";
/**
 * Release consumptions and report negative values: for services that count, not for the tenant that is
 * billed.
 */
export const takeBackRight = "subscriptions.usage.take_back";
/** The catalogue, the overrides of tenants, and test clocks. */
export const platformRight = "subscriptions.platform.manage";

/** The rights of each role, for the printed policy. */
export const rights = {
	permissions: [changeRight, usageRight, takeBackRight, platformRight],
	roles: {
		admin: [changeRight, usageRight],
		platform_owner: [changeRight, usageRight, takeBackRight, platformRight],
		api_key: [usageRight, takeBackRight],
	},
};

/**
 * Whether a caller that can see the tenant has a right. Administrators change their own tenant's
 * subscription, the platform owner everything; services with a `usage.report` key report usage.
 */
export function hasRight(caller: Caller, right: string): boolean {
	if (caller.kind === "key") return isForKeys(right) && caller.permissions.includes("usage.report");
	if (caller.kind !== "user") return false;
	if (caller.isPlatformOwner) return rights.roles.platform_owner.includes(right);
	return (caller.claims.roles ?? []).includes("admin") && rights.roles.admin.includes(right);
}

/** Whether services with a `usage.report` key have a right. */
export const isForKeys = (right: string): boolean => rights.roles.api_key.includes(right);
