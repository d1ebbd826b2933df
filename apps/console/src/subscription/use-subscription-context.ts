import { useClient, useClientState, useProfile } from "@lango/client/react";
import { useQueryClient } from "@tanstack/react-query";
import { useTenant } from "../tenant/use-tenant.ts";

/** What the parts of these pages work with. */
export type SubscriptionContext = {
	tenantId: string;
	/** Whether the person may choose, change and pay: administrators of the tenant, and the platform's owner. */
	mayChange: boolean;
	/** Asks again for all that follows from the subscription, the claims of the person's own token too. */
	renew: () => Promise<void>;
};

/** The desk of the tenant whose pages are open; undefined while it is not known. */
export function useSubscriptionContext(): SubscriptionContext | undefined {
	const client = useClient();
	const queries = useQueryClient();
	const state = useClientState();
	const profile = useProfile();
	const tenantId = useTenant()?.id;
	if (tenantId === undefined || profile === undefined) return undefined;
	const isOwn = state.status === "ready" && profile.tenantId === tenantId;
	return {
		tenantId,
		mayChange: profile.isPlatformOwner || profile.globalRoles.includes("admin"),
		renew: async () => {
			// First what the gate goes by: who goes on at once is not sent back here.
			if (isOwn) await client.checkSubscription();
			await Promise.all([
				queries.invalidateQueries({ queryKey: ["subscription", tenantId] }),
				queries.invalidateQueries({ queryKey: ["payments", tenantId] }),
				queries.invalidateQueries({ queryKey: ["usage", tenantId] }),
				isOwn ? client.renew() : undefined,
			]);
		},
	};
}
