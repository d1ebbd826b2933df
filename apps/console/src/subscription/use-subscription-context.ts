import { useClient, useClientState, useProfile } from "@lango/client/react";
import { useQueryClient } from "@tanstack/react-query";
import { useTenant } from "../tenant/use-tenant.ts";

/** The tenant whose subscription the pages show. */
export type SubscriptionContext = {
	tenantId: string;
	/** Whether the user may change and pay: administrators of the tenant and the platform owner. */
	mayChange: boolean;
	/** Reloads everything that depends on the subscription, including the claims of the user's token. */
	renew: () => Promise<void>;
};

/** Returns the context of the open tenant; undefined while it loads. */
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
			// First the state that the gate uses, so that the next navigation is not redirected here.
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
