import type { Client } from "@lango/client";
import { createContext, useContext } from "react";
import type { Settings } from "./settings.ts";

/** What every page asks with: the client, and where the services are. Queries take it as their first value. */
export type Platform = { client: Client; settings: Settings };

export const PlatformContext = createContext<Platform | undefined>(undefined);

/** The client and the addresses, in any page. */
export function usePlatform(): Platform {
	const platform = useContext(PlatformContext);
	if (platform === undefined) throw new Error("A page was shown outside the platform.");
	return platform;
}
