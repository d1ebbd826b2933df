import type { PublicOutlet } from "@lango/contracts";
import { compareNames } from "@lango/interface";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";

/** The cache key of a tenant's outlets. All of it is invalidated after a change. */
export const outletsKey = (slug: string) => ["outlets", slug];

/** All outlets of a tenant sorted by name, including archived ones: at most 500 (spec §4.1). */
export function allOutletsQuery(platform: Platform, slug: string) {
	return queryOptions({
		queryKey: [...outletsKey(slug), "all"],
		queryFn: async ({ signal }) => {
			const address = `${tenantAddress(platform, slug)}/outlets`;
			const all = await platform.client.call<PublicOutlet[]>(address, { isPublic: true, signal });
			return all.toSorted((one, other) => compareNames(one.name, other.name));
		},
	});
}
