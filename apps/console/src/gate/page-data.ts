import type { Place, Verdict } from "@lango/client";
import { useMatches } from "@tanstack/react-router";

/** What a page of the table asks for, and under which verdicts it is shown. */
export type PageData = {
	/** See Place of @lango/client; `needsOutlet` is true unless said otherwise. */
	place?: Place;
	/** Default: "on" alone. A page that is there for another verdict, such as waiting for approval, names it. */
	shows?: ReadonlyArray<Verdict["go"]>;
	/** Whether the page brings its own frame: there is nothing to navigate to yet. */
	isPlain?: boolean;
	/** Whether it is for the platform's owner alone, below the address of their own tenant. */
	isForPlatform?: boolean;
};

/** The page that is open. */
export function usePageData(): PageData {
	return useMatches({ select: (matches) => matches.at(-1)?.staticData ?? {} });
}

declare module "@tanstack/react-router" {
	interface StaticDataRouteOption extends PageData {}
}
