import type { Verdict } from "@lango/client";
import { useProfile, useVerdict } from "@lango/client/react";
import { getRouteApi, Outlet, useLocation } from "@tanstack/react-router";
import { Layout } from "../layout/layout.tsx";
import { UnauthorizedPage } from "../pages/unauthorized/unauthorized-page.tsx";
import { keepNext, readNext } from "../session/next-path.ts";
import { useIsPendingAgain } from "../session/use-approval.ts";
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
	return <Layout slug={slug}>{isForPlatform ? <PlatformGate slug={slug} /> : <Outlet />}</Layout>;
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
