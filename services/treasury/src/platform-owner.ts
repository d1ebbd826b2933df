import type { Treasury } from "./treasury.ts";

/**
 * Returns the id of the platform owner's tenant, whose shortcode is the platform's. Throws an Error if it
 * is not known, and TenantUnavailable while the sign-on service is unavailable.
 */
export async function findOwnerId({ tenancy, settings }: Treasury): Promise<string> {
	const owner = await tenancy.findBySlug(settings.platformOwnerSlug);
	if (owner === undefined)
		throw new Error(`the platform owner "${settings.platformOwnerSlug}" is not a tenant`);
	return owner.id;
}
