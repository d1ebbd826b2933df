import type { Treasury } from "./treasury.ts";

/** What the platform owner's tenant is found with. */
export type OwnerLookup = {
	tenancy: Pick<Treasury["tenancy"], "findBySlug">;
	settings: Pick<Treasury["settings"], "platformOwnerSlug">;
};

/**
 * Returns the id of the platform owner's tenant, whose shortcode is the platform's. Throws an Error if it
 * is not known, and TenantUnavailable while the sign-on service is unavailable.
 */
export async function findOwnerId({ tenancy, settings }: OwnerLookup): Promise<string> {
	const owner = await tenancy.findBySlug(settings.platformOwnerSlug);
	if (owner === undefined)
		throw new Error(`the platform owner "${settings.platformOwnerSlug}" is not a tenant`);
	return owner.id;
}
