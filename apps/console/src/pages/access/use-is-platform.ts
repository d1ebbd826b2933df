import { useProfile } from "@lango/client/react";

/** Whether the pages of the platform's own tenant are open to its owner: services answer there for all tenants together. */
export function useIsPlatform(slug: string): boolean {
	const profile = useProfile();
	return profile?.isPlatformOwner === true && profile.tenantSlug === slug;
}
