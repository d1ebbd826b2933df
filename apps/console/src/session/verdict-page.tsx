import type { Verdict } from "@lango/client";
import { BridgePage } from "../pages/bridge/bridge-page.tsx";
import { ProductMissingPage } from "../pages/unauthorized/product-missing-page.tsx";
import { UnauthorizedPage } from "../pages/unauthorized/unauthorized-page.tsx";
import { FailedPage } from "../pages/unknown/failed-page.tsx";
import { Go, withNext } from "./go.tsx";
import { SignInStep } from "./sign-in-step.tsx";

type VerdictPage = { verdict: Exclude<Verdict, { go: "on" }>; slug: string | undefined };

/** What is shown in place of a page that may not be shown now. */
export function VerdictPage({ verdict, slug }: VerdictPage) {
	switch (verdict.go) {
		case "wait":
			return <BridgePage />;
		case "sign_in":
			return <SignInStep tenant={verdict.tenant} />;
		case "session_outlet":
		case "outlet":
			return <Go to={withNext(verdict.to)} />;
		case "pending":
		case "profile":
			return <Go to={verdict.to} />;
		case "subscribe":
			return <Go to={slug === undefined ? "/" : `/${slug}/subscribe`} />;
		case "product_missing":
			return <ProductMissingPage product={verdict.product} />;
		case "unauthorized":
			return <UnauthorizedPage />;
		case "failed":
			return <FailedPage error={verdict.error} tenant={slug} />;
	}
}
