import { OfflineNotice } from "@lango/interface";
import { createRootRoute, createRoute, type lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { ExpiredDialog } from "./gate/expired-dialog.tsx";
import { LeaveGuard } from "./gate/leave-guard.tsx";
import type { PageData } from "./gate/page-data.ts";
import { readSearch } from "./gate/search.ts";
import { TenantGate } from "./gate/tenant-gate.tsx";
import { Toasts } from "./notices/toasts.tsx";
import { ErrorPage } from "./pages/errors/error-page.tsx";
import { NotFoundPage } from "./pages/errors/not-found-page.tsx";

/** The root of all pages. */
export const root = createRootRoute({
	component: () => (
		<>
			<Outlet />
			<OfflineNotice />
			<Toasts />
			<LeaveGuard />
			<ExpiredDialog />
		</>
	),
	notFoundComponent: NotFoundPage,
	errorComponent: ErrorPage,
});
/** The parent of a page outside of a tenant. */
export const page = { getParentRoute: () => root };

/** Lists have parameters of their own in the addresses of their pages (lists/list-address.ts). */
type Parameters = Partial<Record<string, string>>;

/** The parent of all pages of a tenant. */
export const tenant = createRoute({
	...page,
	path: "/$slug",
	validateSearch: readSearch("next") as (search: Parameters) => Parameters,
	component: TenantGate,
});
/** The parent of a page of a tenant. */
export const inTenant = { getParentRoute: () => tenant };

/** A page that needs neither an outlet nor a subscription. */
export const anywhere: PageData = { requires: { needsOutlet: false, ignoresSubscription: true } };
/** A page of the platform owner. */
export const forPlatform: PageData = { ...anywhere, isForPlatform: true };

type LazyPage = ReturnType<typeof lazyRouteComponent>;

/** A page of a tenant without search parameters. It is loaded when it is opened. */
export const tenantPage = <const Path extends string>(
	path: Path,
	component: LazyPage,
	staticData: PageData = {},
) => createRoute({ ...inTenant, path, component, staticData });

/** The same for a page of the platform owner. */
export const platformPage = <const Path extends string>(path: Path, component: LazyPage) =>
	createRoute({ ...inTenant, path, component, staticData: forPlatform });
