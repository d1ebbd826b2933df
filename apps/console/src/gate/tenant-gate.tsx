import type { Verdict } from "@lango/client";
import { useProfile, useVerdict } from "@lango/client/react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Layout } from "../layout/layout.tsx";
import { TenantNotFoundPage } from "../pages/errors/tenant-not-found-page.tsx";
import { LoadingPage } from "../pages/loading/loading-page.tsx";
import { UnauthorizedPage } from "../pages/unauthorized/unauthorized-page.tsx";
import { usePlatform } from "../platform.ts";
import { keepNext, readNext } from "../session/next-path.ts";
import { useIsPendingAgain } from "../session/use-approval.ts";
import { tenantQuery } from "../tenant/tenant.queries.ts";
import { usePageData } from "./page-data.ts";
import { Redirect } from "./redirect.tsx";
import { VerdictPage } from "./verdict-page.tsx";

const route = getRouteApi("/$slug");

/**
 * Decides before every page of a tenant whether it is shown or replaced, by `decidePage` of @lango/client.
 */
export function TenantGate() {
	const { slug } = route.useParams();
	const { next } = route.useSearch();
	const { requires, shows = ["on"], isPlain = false, isForPlatform = false } = usePageData();
	const decided = useVerdict({ needsOutlet: true, ...requires, tenant: slug });
	const isPendingAgain = useIsPendingAgain() && decided.go !== "sign_in";
	const verdict: Verdict = isPendingAgain ? { go: "pending", to: `/${slug}/pending` } : decided;

	if (!shows.includes(verdict.go)) {
		// A page for a verdict that no longer applies, such as the choice of an outlet that is already made.
		const isApproved = verdict.go === "on" && shows.includes("pending");
		if (isApproved) return <Redirect to={keepNext(`/${slug}/profile`)} />;
		if (verdict.go === "on") return <Redirect to={readNext(next) ?? `/${slug}`} />;
		return <VerdictPage verdict={verdict} slug={slug} />;
	}
	if (isPlain) return <Outlet />;
	return (
		<IfFound slug={slug}>
			<Layout slug={slug}>{isForPlatform ? <PlatformGate slug={slug} /> : <Outlet />}</Layout>
		</IfFound>
	);
}

/**
 * Shows the pages of a tenant once it is known to exist. Only the platform owner comes this far in another
 * tenant than their own. From one tenant to the next the layout stays.
 */
function IfFound({ slug, children }: { slug: string; children: ReactNode }) {
	const isOwn = useProfile()?.tenantSlug === slug;
	const found = useQuery({ ...tenantQuery(usePlatform(), slug), placeholderData: keepPreviousData });
	if (isOwn) return children;
	if (found.data === null) return <TenantNotFoundPage slug={slug} />;
	return found.isPending ? <LoadingPage /> : children;
}

/** Admits only the platform owner, and redirects to the address below their own tenant. */
function PlatformGate({ slug }: { slug: string }) {
	const profile = useProfile();
	const { pathname, searchStr } = useLocation();
	if (profile?.isPlatformOwner !== true) return <UnauthorizedPage />;
	if (profile.tenantSlug === slug) return <Outlet />;
	// The address changes before the page. The part after the slug is the same in both.
	const [, , ...below] = pathname.split("/");
	return <Redirect to={`/${profile.tenantSlug}/${below.join("/")}${searchStr}`} />;
}
