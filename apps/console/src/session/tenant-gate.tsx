import type { Verdict } from "@lango/client";
import { useProfile, useVerdict } from "@lango/client/react";
import { getRouteApi, Outlet, useLocation } from "@tanstack/react-router";
import { Frame } from "../frame/frame.tsx";
import { UnauthorizedPage } from "../pages/unauthorized/unauthorized-page.tsx";
import { Go, readNext } from "./go.tsx";
import { usePageData } from "./page-data.ts";
import { useWaitsAgain } from "./use-approval.ts";
import { VerdictPage } from "./verdict-page.tsx";

const route = getRouteApi("/$slug");

/** Before every page of a tenant: shown, or where to instead, as `decidePage` says. */
export function TenantGate() {
	const { slug } = route.useParams();
	const { next } = route.useSearch();
	const { place, shows = ["on"], isPlain = false, isForPlatform = false } = usePageData();
	const decided = useVerdict({ needsOutlet: true, ...place, tenant: slug });
	const waitsAgain = useWaitsAgain() && decided.go !== "sign_in";
	const verdict: Verdict = waitsAgain ? { go: "pending", to: `/${slug}/pending` } : decided;

	if (!shows.includes(verdict.go)) {
		// A page that was there for a verdict that is over, such as the choice of an outlet that was made.
		const after = shows.includes("pending") ? `/${slug}/profile` : `/${slug}`;
		if (verdict.go === "on") return <Go to={readNext(next) ?? after} />;
		return <VerdictPage verdict={verdict} slug={slug} />;
	}
	if (isPlain) return <Outlet />;
	return <Frame slug={slug}>{isForPlatform ? <PlatformGate slug={slug} /> : <Outlet />}</Frame>;
}

/** Before the pages of the platform's owner: others may not open them, and they stand below the owner's own tenant alone. */
function PlatformGate({ slug }: { slug: string }) {
	const profile = useProfile();
	const { pathname, searchStr } = useLocation();
	if (profile?.isPlatformOwner !== true) return <UnauthorizedPage />;
	if (profile.tenantSlug === slug) return <Outlet />;
	// The address changes before the page does: what stands below its first part is the same in both.
	const [, , ...below] = pathname.split("/");
	return <Go to={`/${profile.tenantSlug}/${below.join("/")}${searchStr}`} />;
}
