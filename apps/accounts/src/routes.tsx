import {
	createRootRoute,
	createRoute,
	createRouter,
	type HistoryState,
	redirect,
} from "@tanstack/react-router";
import { SignInPage } from "./pages/sign-in/sign-in-page.tsx";
import { SignedInPage } from "./pages/signed-in/signed-in-page.tsx";
import { SignedOutPage } from "./pages/signed-out/signed-out-page.tsx";
import { BrokenPage } from "./pages/unknown/broken-page.tsx";
import { UnknownPage } from "./pages/unknown/unknown-page.tsx";
import type { Settings } from "./settings.ts";

type SignInSearch = { return_to?: string; tenant?: string };

/** The table of pages. */
export function accountsRouter(settings: Settings) {
	const root = createRootRoute({ notFoundComponent: UnknownPage, errorComponent: BrokenPage });
	const page = { getParentRoute: () => root };
	return createRouter({
		parseSearch,
		stringifySearch,
		routeTree: root.addChildren([
			createRoute({ ...page, path: "/", beforeLoad: () => redirect({ to: "/login", throw: true }) }),
			createRoute({
				...page,
				path: "/login",
				validateSearch: ({ return_to, tenant }: SignInSearch): SignInSearch => ({
					...(return_to === undefined ? {} : { return_to }),
					...(tenant === undefined ? {} : { tenant }),
				}),
				component: () => <SignInPage {...settings} />,
			}),
			createRoute({
				...page,
				path: "/signed-in",
				beforeLoad: ({ location }) => ({ signedInAs: whoSignedIn(location.state) }),
				component: () => <SignedInPage {...settings} />,
			}),
			createRoute({ ...page, path: "/signed-out", component: SignedOutPage }),
		]),
	});
}

/** Only a sign-in leads to the signed-in page; whoever comes otherwise is asked to sign in. */
function whoSignedIn({ signedInAs }: HistoryState): string {
	if (signedInAs === undefined) throw redirect({ to: "/login", replace: true });
	return signedInAs;
}

/** Search parameters are text here, as the sign-on service sends them: a tenant called "123" is no number. */
function parseSearch(search: string): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(search));
}

function stringifySearch(search: Record<string, unknown>): string {
	const given = Object.entries(search).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, String(value)]],
	);
	return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

declare module "@tanstack/react-router" {
	interface Register {
		router: ReturnType<typeof accountsRouter>;
	}
	interface HistoryState {
		/** The e-mail address of who has just signed in; kept with the history entry, never elsewhere. */
		signedInAs?: string;
	}
}
