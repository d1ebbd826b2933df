import type { Route } from "@lango/chassis";
import type { Memories } from "./hear-changes.ts";

/**
 * Routes that change a tenant's subscription: this process forgets the tenant before it answers, so that who changes and
 * asks again here sees the change. The others hear of it at the commit.
 */
export function forgetting(memories: Memories, routes: readonly Route[]): readonly Route[] {
	return routes.map((one) => ({
		...one,
		onSend: async (request) => {
			const { tenant_id: tenantId } = request.params as { tenant_id?: string };
			if (request.method !== "GET" && tenantId !== undefined)
				for (const memory of memories) memory.forget(tenantId.toLowerCase());
		},
	}));
}
