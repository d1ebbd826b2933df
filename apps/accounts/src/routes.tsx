import {
	createRootRoute,
	createRoute,
	createRouter,
	type HistoryState,
	lazyRouteComponent,
	redirect,
} from "@tanstack/react-router";
import { SignInPage } from "./pages/sign-in/sign-in-page.tsx";
import { SignedInPage } from "./pages/signed-in/signed-in-page.tsx";
import { SignedOutPage } from "./pages/signed-out/signed-out-page.tsx";
import { BrokenPage } from "./pages/unknown/broken-page.tsx";
import { UnknownPage } from "./pages/unknown/unknown-page.tsx";

type TenantSearch = { return_to?: string; tenant?: string };

const root = createRootRoute({ notFoundComponent: UnknownPage, errorComponent: BrokenPage });
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
		component: lazyRouteComponent(() => import("./pages/register/register-page.tsx"), "RegisterPage"),
	}),
	createRoute({
		...page,
		path: "/join",
		component: lazyRouteComponent(() => import("./pages/join/join-page.tsx"), "JoinPage"),
	}),
	createRoute({
		...page,
		path: "/new-organisation",
		component: lazyRouteComponent(
			() => import("./pages/organisation/organisation-page.tsx"),
			"OrganisationPage",
		),
	}),
	createRoute({
		...page,
		path: "/forgot-password",
		component: lazyRouteComponent(() => import("./pages/password/forgot-page.tsx"), "ForgotPage"),
	}),
	createRoute({
		...page,
		path: "/reset-password",
		component: lazyRouteComponent(() => import("./pages/password/reset-page.tsx"), "ResetPage"),
	}),
	createRoute({
		...page,
		path: "/verify-email",
		component: lazyRouteComponent(
			() => import("./pages/verify-email/verify-email-page.tsx"),
			"VerifyEmailPage",
		),
	}),
	createRoute({
		...page,
		path: "/auth/callback",
		component: lazyRouteComponent(() => import("./pages/callback/callback-page.tsx"), "CallbackPage"),
	}),
	createRoute({
		...page,
		path: "/$tenant/auth/select-outlet",
		component: lazyRouteComponent(
			() => import("./pages/select-outlet/select-outlet-page.tsx"),
			"SelectOutletPage",
		),
	}),
	createRoute({
		...page,
		path: "/pending",
		component: lazyRouteComponent(() => import("./pages/pending/pending-page.tsx"), "PendingPage"),
	}),
	createRoute({
		...page,
		path: "/profile",
		component: lazyRouteComponent(() => import("./pages/profile/profile-page.tsx"), "ProfilePage"),
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
		/** The invitation to accept. */
		invitation?: string;
	}
}
