type Membership = { tenantSlug: string; roles: readonly string[] };

/**
 * Whether a membership makes its holder a platform owner (spec §2.3): a superuser in the platform's own
 * tenant.
 */
export const isPlatformOwner = ({ tenantSlug, roles }: Membership, platformOwnerSlug: string): boolean =>
	tenantSlug === platformOwnerSlug && roles.includes("superuser");
