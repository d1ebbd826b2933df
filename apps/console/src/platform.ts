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
