import type { Caller } from "@lango/chassis";
import type { KeyPurpose } from "@lango/contracts";

/** Change a tenant's subscription. */
export const changeRight = "subscriptions.subscriptions.change";
/** Read what a tenant pays for its subscription. */
export const billingRight = "subscriptions.billing.view";
/** Read who changed a tenant's subscription. */
export const auditRight = "subscriptions.audit.view";
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
	permissions: [changeRight, billingRight, auditRight, usageRight, takeBackRight, platformRight],
	roles: {
		admin: [changeRight, billingRight, auditRight, usageRight],
		platform_owner: [changeRight, billingRight, auditRight, usageRight, takeBackRight, platformRight],
		api_key: [billingRight, usageRight, takeBackRight],
	},
};

/** The purpose of the key with which other services have a right. */
const keyPurposes: Readonly<Record<string, KeyPurpose>> = {
	[billingRight]: "snapshot.read",
	[usageRight]: "usage.report",
	[takeBackRight]: "usage.report",
};

/**
 * Whether a caller that can see the tenant has a right. Administrators change their own tenant's
 * subscription, the platform owner everything; services have the rights of their keys.
 */
export function hasRight(caller: Caller, right: string): boolean {
	if (caller.kind === "key") return caller.permissions.some((one) => one === keyPurposes[right]);
	if (caller.kind !== "user") return false;
	if (caller.isPlatformOwner) return rights.roles.platform_owner.includes(right);
	return (caller.claims.roles ?? []).includes("admin") && rights.roles.admin.includes(right);
}

/** The purpose of the key that would have one of the rights; undefined if no key has. */
export const keyPurposeFor = (wanted: readonly string[]): KeyPurpose | undefined =>
	wanted.map((right) => keyPurposes[right]).find((purpose) => purpose !== undefined);
