import { type Caller, chassisFailures } from "@lango/chassis";

/** Whether the caller is the platform owner, in whatever tenant. */
export const isPlatformOwner = (caller: Caller): boolean => caller.kind === "user" && caller.isPlatformOwner;

/** Throws `forbidden` unless the caller is the platform owner, in whatever tenant. */
export function requirePlatformOwner(caller: Caller): void {
	if (!isPlatformOwner(caller)) throw chassisFailures.forbidden();
}

/** Throws `forbidden` unless the platform owner names the platform's own tenant. */
export function requirePlatform(caller: Caller, tenantSlug: string, platformOwnerSlug: string): void {
	requirePlatformOwner(caller);
	if (tenantSlug !== platformOwnerSlug) throw chassisFailures.forbidden();
}

/**
 * Whether the platform owner calls at the platform's own address: then routes act on what every tenant has.
 */
export const isAtPlatform = (caller: Caller, tenantSlug: string, platformOwnerSlug: string): boolean =>
	isPlatformOwner(caller) && tenantSlug === platformOwnerSlug;
