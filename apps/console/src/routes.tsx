import {
	createRootRoute,
	createRoute,
	createRouter,
	lazyRouteComponent,
	Outlet,
} from "@tanstack/react-router";
import { CallbackPage } from "./gate/callback-page.tsx";
import { RefusedPage } from "./gate/refused-page.tsx";
import { StartPage } from "./gate/start-page.tsx";
import { TenantGate } from "./gate/tenant-gate.tsx";
import { Toasts } from "./notices/toasts.tsx";
import { ErrorPage } from "./pages/errors/error-page.tsx";
import { NotFoundPage } from "./pages/errors/not-found-page.tsx";
import { LoadingPage } from "./pages/loading/loading-page.tsx";
import type { ChangeSearch } from "./pages/subscribe/change/requested-change.ts";
import { UnauthorizedPage } from "./pages/unauthorized/unauthorized-page.tsx";

type Search = { next?: string };
/** Filters of a list, kept in the address so that "back" restores them. */
type Filters = { q?: string; status?: string };

const root = createRootRoute({
	component: () => (
		<>
			<Outlet />
			<Toasts />
		</>
	),
	notFoundComponent: NotFoundPage,
	errorComponent: ErrorPage,
});
const page = { getParentRoute: () => root };

const tenant = createRoute({
	...page,
	path: "/$slug",
	validateSearch: ({ next }: Search): Search => (next === undefined ? {} : { next }),
	component: TenantGate,
});
const inTenant = { getParentRoute: () => tenant };

/** The requirements of the platform owner's pages. */
const forPlatform = {
	staticData: { requires: { needsOutlet: false, ignoresSubscription: true }, isForPlatform: true },
} as const;

/** The pages of the platform owner, below the address of their own tenant. */
const platformPages = [
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/tenants",
		validateSearch: ({ q, status }: Filters): Filters => ({
			...(q !== undefined && { q }),
			...(status !== undefined && { status }),
		}),
		component: lazyRouteComponent(() => import("./pages/tenants/tenants-page.tsx"), "TenantsPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/tenants/$tenantId",
		component: lazyRouteComponent(() => import("./pages/tenants/tenant-page.tsx"), "TenantPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/tenants/$tenantId/entitlements",
		component: lazyRouteComponent(() => import("./pages/tenants/entitlements-page.tsx"), "EntitlementsPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/plans",
		component: lazyRouteComponent(() => import("./pages/plans/plans-page.tsx"), "PlansPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/plans/$code",
		component: lazyRouteComponent(() => import("./pages/plans/item-page.tsx"), "PlanPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/plans/$code/next",
		component: lazyRouteComponent(() => import("./pages/plans/next-version-page.tsx"), "NextPlanPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/add-ons/$code",
		component: lazyRouteComponent(() => import("./pages/plans/item-page.tsx"), "AddOnPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/add-ons/$code/next",
		component: lazyRouteComponent(() => import("./pages/plans/next-version-page.tsx"), "NextAddOnPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/failures",
		validateSearch: ({ service }: { service?: string }): { service?: string } =>
			service === undefined ? {} : { service },
		component: lazyRouteComponent(() => import("./pages/failures/failures-page.tsx"), "FailuresPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/clients",
		validateSearch: ({ q }: Filters): Filters => (q === undefined ? {} : { q }),
		component: lazyRouteComponent(() => import("./pages/clients/clients-page.tsx"), "ClientsPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/clients/$clientId",
		component: lazyRouteComponent(() => import("./pages/clients/client-page.tsx"), "ClientPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/new-client",
		component: lazyRouteComponent(() => import("./pages/clients/new-client-page.tsx"), "NewClientPage"),
	}),
	createRoute({
		...inTenant,
		...forPlatform,
		path: "/platform/keys",
		component: lazyRouteComponent(() => import("./pages/keys/keys-page.tsx"), "KeysPage"),
	}),
] as const;

/**
 * The pages of a tenant, below `/{slug}`. `staticData` declares the requirements of a page (PageData).
 * Pages with `lazyRouteComponent` are loaded when they are opened. The navigation is in
 * layout/navigation.ts.
 */
const tenantPages = [
	createRoute({
		...inTenant,
		path: "/",
		component: lazyRouteComponent(() => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
	}),
	createRoute({
		...inTenant,
		path: "/auth/select-outlet",
		staticData: { shows: ["session_outlet"], isPlain: true },
		component: lazyRouteComponent(
			() => import("./pages/select-outlet/session-outlet-page.tsx"),
			"SessionOutletPage",
		),
	}),
	createRoute({
		...inTenant,
		path: "/select-outlet",
		staticData: { requires: { needsOutlet: false, ignoresSubscription: true }, isPlain: true },
		component: lazyRouteComponent(
			() => import("./pages/select-outlet/select-outlet-page.tsx"),
			"SelectOutletPage",
		),
	}),
	createRoute({
		...inTenant,
		path: "/pending",
		staticData: { shows: ["pending"], isPlain: true },
		component: lazyRouteComponent(() => import("./pages/pending/pending-page.tsx"), "PendingPage"),
	}),
	createRoute({
		...inTenant,
		path: "/subscribe",
		staticData: { requires: { needsOutlet: false, ignoresSubscription: true } },
		validateSearch: ({ payment }: { payment?: string }): { payment?: string } =>
			payment === undefined ? {} : { payment },
		component: lazyRouteComponent(() => import("./pages/subscribe/subscribe-page.tsx"), "SubscribePage"),
	}),
	createRoute({
		...inTenant,
		path: "/subscribe/change",
		staticData: { requires: { needsOutlet: false, ignoresSubscription: true } },
		validateSearch: readChange,
		component: lazyRouteComponent(() => import("./pages/subscribe/change/change-page.tsx"), "ChangePage"),
	}),
	createRoute({
		...inTenant,
		path: "/profile",
		staticData: { requires: { needsOutlet: false, ignoresSubscription: true }, shows: ["on", "profile"] },
		component: lazyRouteComponent(() => import("./pages/profile/profile-page.tsx"), "ProfilePage"),
	}),
	createRoute({
		...inTenant,
		path: "/sessions",
		staticData: { requires: { needsOutlet: false, ignoresSubscription: true } },
		component: lazyRouteComponent(() => import("./pages/sessions/sessions-page.tsx"), "SessionsPage"),
	}),
	createRoute({
		...inTenant,
		path: "/people",
		staticData: { requires: { permission: "auth.users.view" } },
		component: lazyRouteComponent(() => import("./pages/people/members-page.tsx"), "MembersPage"),
	}),
	createRoute({
		...inTenant,
		path: "/people/invitations",
		staticData: { requires: { permission: "auth.users.view" } },
		component: lazyRouteComponent(() => import("./pages/people/invitations-page.tsx"), "InvitationsPage"),
	}),
	createRoute({
		...inTenant,
		path: "/people/waiting",
		staticData: { requires: { permission: "auth.users.view" } },
		component: lazyRouteComponent(() => import("./pages/people/join-requests-page.tsx"), "JoinRequestsPage"),
	}),
	createRoute({
		...inTenant,
		path: "/outlets",
		staticData: { requires: { permission: "auth.outlets.view" } },
		component: lazyRouteComponent(() => import("./pages/outlets/outlets-page.tsx"), "OutletsPage"),
	}),
	createRoute({
		...inTenant,
		path: "/settings",
		staticData: { requires: { needsOutlet: false, permission: "auth.settings.change" } },
		component: lazyRouteComponent(() => import("./pages/settings/settings-page.tsx"), "SettingsPage"),
	}),
	createRoute({
		...inTenant,
		path: "/access",
		component: lazyRouteComponent(() => import("./pages/access/services-page.tsx"), "ServicesPage"),
	}),
	createRoute({
		...inTenant,
		path: "/access/$service",
		component: lazyRouteComponent(() => import("./pages/access/roles/roles-page.tsx"), "RolesPage"),
	}),
	createRoute({
		...inTenant,
		path: "/access/$service/people",
		component: lazyRouteComponent(
			() => import("./pages/access/service-people-page.tsx"),
			"ServicePeoplePage",
		),
	}),
	createRoute({
		...inTenant,
		path: "/access/$service/keys",
		component: lazyRouteComponent(() => import("./pages/api-keys/api-keys-page.tsx"), "ApiKeysPage"),
	}),
	createRoute({
		...inTenant,
		path: "/access/$service/roles/$role",
		component: lazyRouteComponent(() => import("./pages/access/roles/role-page.tsx"), "RolePage"),
	}),
	createRoute({
		...inTenant,
		path: "/riders",
		staticData: { requires: { permission: "riders:read" } },
		validateSearch: ({ status }: Filters): Pick<Filters, "status"> =>
			status === undefined ? {} : { status },
		component: lazyRouteComponent(() => import("./pages/riders/riders-page.tsx"), "RidersPage"),
	}),
	createRoute({
		...inTenant,
		path: "/audit",
		staticData: { requires: { permission: "auth.users.change" } },
		component: lazyRouteComponent(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
	}),
	...platformPages,
] as const;

/** Pages outside of a tenant. */
const otherPages = [
	createRoute({ ...page, path: "/", component: StartPage }),
	createRoute({ ...page, path: "/auth/callback", component: CallbackPage }),
	createRoute({ ...page, path: "/$slug/auth/callback", component: CallbackPage }),
	createRoute({ ...page, path: "/unauthorized", component: UnauthorizedPage }),
	createRoute({
		...page,
		path: "/subscribe",
		component: lazyRouteComponent(() => import("./gate/own-subscribe-page.tsx"), "OwnSubscribePage"),
	}),
] as const;

export function consoleRouter() {
	return createRouter({
		parseSearch,
		stringifySearch,
		defaultPendingComponent: LoadingPage,
		defaultErrorComponent: RefusedPage,
		defaultNotFoundComponent: NotFoundPage,
		routeTree: root.addChildren([...otherPages, tenant.addChildren(tenantPages)]),
	});
}

function readChange({ plan, add, drop }: ChangeSearch): ChangeSearch {
	return {
		...(plan !== undefined && { plan }),
		...(add !== undefined && { add }),
		...(drop !== undefined && { drop }),
	};
}

/** Reads search parameters as text: a search for "123" does not become a number. */
function parseSearch(search: string): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(search));
}

function stringifySearch(search: Record<string, unknown>): string {
	const given = Object.entries(search).flatMap(([name, value]) =>
		value === undefined || value === "" ? [] : [[name, String(value)]],
	);
	return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

declare module "@tanstack/react-router" {
	interface Register {
		router: ReturnType<typeof consoleRouter>;
	}
}
