import type { PublicOutlet } from "@lango/contracts";
import { tenantFreshMilliseconds } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../platform.ts";
import { findStoredTenant, findTenant } from "./find-tenant.ts";

/** The address of a tenant in the sign-on service. Members, outlets and the audit log are below it. */
export function tenantAddress({ settings }: Platform, slug: string): string {
	return `${settings.authUrl}/api/v1/tenants/${encodeURIComponent(slug)}`;
}

/** The public name and branding of a tenant by slug; null if not found. Cached for six hours (§8). */
export function tenantQuery(platform: Platform, slug = "") {
	const stored = slug === "" ? undefined : findStoredTenant(slug);
	return queryOptions({
		queryKey: ["tenant", slug],
		queryFn: () => findTenant(platform, slug),
		enabled: slug !== "",
		staleTime: tenantFreshMilliseconds,
		gcTime: tenantFreshMilliseconds,
		...(stored === undefined ? {} : { initialData: stored.tenant, initialDataUpdatedAt: stored.at }),
	});
}

/** The tenant's outlets that are not archived, most recently used first (§5.15). */
export function outletsQuery({ client }: Platform, slug: string) {
	return queryOptions({
		queryKey: ["outlets", slug],
		queryFn: (): Promise<readonly PublicOutlet[]> => client.listOutlets(slug),
	});
}
