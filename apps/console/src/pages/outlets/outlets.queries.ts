import type { PublicOutlet } from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";

/** Everything that knows a tenant's outlets: invalidated together after a change. */
export const outletsKey = (slug: string) => ["outlets", slug];

/** All outlets of a tenant by code, archived ones too: 500 at most (spec §4.1). */
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
