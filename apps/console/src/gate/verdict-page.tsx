import type { Verdict } from "@lango/client";
import { SignInFailedPage } from "../pages/errors/sign-in-failed-page.tsx";
import { LoadingPage } from "../pages/loading/loading-page.tsx";
import { ProductMissingPage } from "../pages/unauthorized/product-missing-page.tsx";
import { UnauthorizedPage } from "../pages/unauthorized/unauthorized-page.tsx";
import { keepNext, withNext } from "../session/next-path.ts";
import { Redirect } from "./redirect.tsx";
import { SignInStep } from "./sign-in-step.tsx";

type VerdictPage = { verdict: Exclude<Verdict, { go: "on" }>; slug: string | undefined };

/** The page shown instead of one that cannot be shown now. */
export function VerdictPage({ verdict, slug }: VerdictPage) {
	switch (verdict.go) {
		case "wait":
			return <LoadingPage />;
		case "sign_in":
			return <SignInStep tenant={verdict.tenant} />;
		case "session_outlet":
		case "outlet":
			return <Redirect to={withNext(verdict.to)} />;
		case "pending":
			return <Redirect to={leadOn(verdict.to, slug)} />;
		case "profile":
			return <Redirect to={keepNext(verdict.to)} />;
		case "subscribe":
			return <Redirect to={slug === undefined ? "/" : leadOn(`/${slug}/subscribe`, slug)} />;
		case "product_missing":
			return <ProductMissingPage product={verdict.product} />;
		case "unauthorized":
			return <UnauthorizedPage />;
		case "failed":
			return <SignInFailedPage error={verdict.error} tenant={slug} />;
	}
}

/** The page leads on to the one that was opened. The overview is next without being named. */
function leadOn(page: string, slug: string | undefined): string {
	return slug === undefined || location.pathname === `/${slug}` ? page : withNext(page);
}
