import type { PublicOutlet } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";

/** The cache key of a tenant's outlets. All of it is invalidated after a change. */
export const outletsKey = (slug: string) => ["outlets", slug];

/** All outlets of a tenant sorted by code, including archived ones: at most 500 (spec §4.1). */
export function allOutletsQuery(platform: Platform, slug: string) {
	return queryOptions({
		queryKey: [...outletsKey(slug), "all"],
		queryFn: ({ signal }) =>
			platform.client.call<PublicOutlet[]>(`${tenantAddress(platform, slug)}/outlets`, {
				isPublic: true,
				signal,
			}),
	});
}
