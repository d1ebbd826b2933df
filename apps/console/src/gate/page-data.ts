import type { PageRequirements, Verdict } from "@lango/client";
import { useMatches } from "@tanstack/react-router";

/** The requirements of a page, and the verdicts for which it is shown. */
export type PageData = {
	/** See @lango/client. `needsOutlet` is true by default. */
	requires?: PageRequirements;
	/** Default: only "on". A page for another verdict, such as pending, declares it. */
	shows?: ReadonlyArray<Verdict["go"]>;
	/** Whether the page has its own layout, without navigation. */
	isPlain?: boolean;
	/** Whether the page is only for the platform owner, below the address of their own tenant. */
	isForPlatform?: boolean;
};

/** Returns the data of the open page. */
export function usePageData(): PageData {
	return useMatches({ select: (matches) => matches.at(-1)?.staticData ?? {} });
}

declare module "@tanstack/react-router" {
	interface StaticDataRouteOption extends PageData {}
}
