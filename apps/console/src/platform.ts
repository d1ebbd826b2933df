import type { Client } from "@lango/client";
import { createContext, useContext } from "react";
import type { Settings } from "./settings.ts";

/** The client and the addresses of the services. Query functions take it as their first parameter. */
export type Platform = { client: Client; settings: Settings };

export const PlatformContext = createContext<Platform | undefined>(undefined);

/** Returns the client and the addresses of the services. Throws an Error outside of `PlatformContext`. */
export function usePlatform(): Platform {
	const platform = useContext(PlatformContext);
	if (platform === undefined) throw new Error("A page was shown outside the platform.");
	return platform;
}

/**
 * The id of the platform owner's tenant, if a page is about it; otherwise undefined. The owner's requests to
 * domain services name it, because without it they are about all tenants (§4.3).
 */
export function platformIdOf({ client }: Platform, slug: string): string | undefined {
	const state = client.getState();
	if (state.status !== "ready" || !state.profile.isPlatformOwner) return undefined;
	return state.profile.tenantSlug === slug ? state.profile.tenantId : undefined;
}
