import { useVerdict } from "@lango/client/react";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import { Frame } from "../frame/frame.tsx";
import { Go, readNext } from "./go.tsx";
import { usePageData } from "./page-data.ts";
import { VerdictPage } from "./verdict-page.tsx";

const route = getRouteApi("/$slug");

/** Before every page of a tenant: shown, or where to instead, as `decidePage` says. */
export function TenantGate() {
	const { slug } = route.useParams();
	const { next } = route.useSearch();
	const { place, shows = ["on"], isPlain = false } = usePageData();
	const verdict = useVerdict({ needsOutlet: true, ...place, tenant: slug });

	if (!shows.includes(verdict.go)) {
		// A page that was there for a verdict that is over, such as the choice of an outlet that was made.
		if (verdict.go === "on") return <Go to={readNext(next) ?? `/${slug}`} />;
		return <VerdictPage verdict={verdict} slug={slug} />;
	}
	if (isPlain) return <Outlet />;
	return (
		<Frame slug={slug}>
			<Outlet />
		</Frame>
	);
}
