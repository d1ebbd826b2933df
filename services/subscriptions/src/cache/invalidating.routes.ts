import type { Route } from "@lango/chassis";
import type { Caches } from "./invalidate-on-change.ts";

/**
 * Routes that change a tenant's subscription: this process forgets the tenant before it answers, so that who changes and
 * asks again here sees the change. The others hear of it at the commit.
 */
export function invalidatingRoutes(caches: Caches, routes: readonly Route[]): readonly Route[] {
	return routes.map((one) => ({
		...one,
		onSend: async (request) => {
			const { tenant_id: tenantId } = request.params as { tenant_id?: string };
			if (request.method !== "GET" && tenantId !== undefined)
				for (const cache of caches) cache.invalidate(tenantId.toLowerCase());
		},
	}));
}
