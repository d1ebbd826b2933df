import { useProfile } from "@lango/client/react";

/** Whether the platform owner has opened the pages of the platform tenant. Services have no roles there. */
export function useIsPlatform(slug: string): boolean {
	const profile = useProfile();
	return profile?.isPlatformOwner === true && profile.tenantSlug === slug;
}
