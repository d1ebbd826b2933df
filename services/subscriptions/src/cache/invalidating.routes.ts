import type { Route } from "@lango/chassis";
import type { Caches } from "./invalidate-on-change.ts";

/**
 * Invalidates a tenant in this process before a route that changes its subscription answers, so that the
 * caller reads its own write. Other processes invalidate at the commit.
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
