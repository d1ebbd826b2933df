import { OfflineNotice, whenOnline } from "@lango/interface";
import {
	createRootRoute,
	createRoute,
	createRouter,
	type HistoryState,
	lazyRouteComponent,
	Outlet,
	redirect,
} from "@tanstack/react-router";
import { SignInPage } from "./pages/sign-in/sign-in-page.tsx";
import { SignedInPage } from "./pages/signed-in/signed-in-page.tsx";
import { SignedOutPage } from "./pages/signed-out/signed-out-page.tsx";
import { BrokenPage } from "./pages/unknown/broken-page.tsx";
import { UnknownPage } from "./pages/unknown/unknown-page.tsx";

type TenantSearch = { return_to?: string; tenant?: string };

const root = createRootRoute({
	component: () => (
		<>
			<Outlet />
			<OfflineNotice />
		</>
	),
	notFoundComponent: UnknownPage,
	errorComponent: BrokenPage,
});
/** A page that is loaded when it is opened; without a network, when the network is back. */
const lazy: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(whenOnline(load), name);
const page = { getParentRoute: () => root };
const validateSearch = ({ return_to, tenant }: TenantSearch): TenantSearch => ({
	...(return_to === undefined ? {} : { return_to }),
	...(tenant === undefined ? {} : { tenant }),
});

/** The table of pages. A page behind an import is loaded when it is opened, so the first page stays small. */
const pages = [
	createRoute({ ...page, path: "/", beforeLoad: () => redirect({ to: "/login", throw: true }) }),
	createRoute({ ...page, path: "/login", validateSearch, component: SignInPage }),
	createRoute({
		...page,
		path: "/signed-in",
		beforeLoad: ({ location }) => ({ signedInAs: requireSignedIn(location.state) }),
		component: SignedInPage,
	}),
	createRoute({ ...page, path: "/signed-out", component: SignedOutPage }),
	createRoute({
		...page,
		path: "/register",
		validateSearch,
		component: lazy(() => import("./pages/register/register-page.tsx"), "RegisterPage"),
	}),
	createRoute({
		...page,
		path: "/join",
		validateSearch,
		component: lazy(() => import("./pages/join/join-page.tsx"), "JoinPage"),
	}),
	createRoute({
		...page,
		path: "/new-organisation",
		component: lazy(() => import("./pages/organisation/organisation-page.tsx"), "OrganisationPage"),
	}),
	createRoute({
		...page,
		path: "/forgot-password",
		component: lazy(() => import("./pages/password/forgot-page.tsx"), "ForgotPage"),
	}),
	createRoute({
		...page,
		path: "/reset-password",
		component: lazy(() => import("./pages/password/reset-page.tsx"), "ResetPage"),
	}),
	createRoute({
		...page,
		path: "/verify-email",
		component: lazy(() => import("./pages/verify-email/verify-email-page.tsx"), "VerifyEmailPage"),
	}),
	createRoute({
		...page,
		path: "/$tenant/auth/select-outlet",
		component: lazy(() => import("./pages/select-outlet/select-outlet-page.tsx"), "SelectOutletPage"),
	}),
	createRoute({
		...page,
		path: "/pending",
		component: lazy(() => import("./pages/pending/pending-page.tsx"), "PendingPage"),
	}),
	createRoute({
		...page,
		path: "/profile",
		component: lazy(() => import("./pages/profile/profile-page.tsx"), "ProfilePage"),
	}),
] as const;

export function accountsRouter() {
	return createRouter({ parseSearch, stringifySearch, routeTree: root.addChildren(pages) });
}

/** The signed-in page is shown only after a sign-in. Otherwise redirects to the sign-in. */
function requireSignedIn({ signedInAs }: HistoryState): string {
	if (signedInAs === undefined) throw redirect({ to: "/login", replace: true });
	return signedInAs;
}

/** Keeps all search parameters as text: the tenant "123" must not become a number. */
function parseSearch(search: string): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(search));
}

function stringifySearch(search: Record<string, unknown>): string {
	const entries = Object.entries(search).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, String(value)]],
	);
	return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}

declare module "@tanstack/react-router" {
	interface Register {
		router: ReturnType<typeof accountsRouter>;
	}
	interface HistoryState {
		/** The e-mail address of the person who has just signed in. Stored only in the history entry. */
		signedInAs?: string;
		/** The person who has just registered, and the tenant. */
		registered?: { email: string; tenant: string; waits: boolean };
		/** Whether the person has just set a new password. */
		isPasswordSet?: boolean;
		/** The address of the person who is about to sign in. */
		emailHint?: string | undefined;
		/** Whether the person came to change the outlet of the session. */
		changesOutlet?: boolean;
	}
}
