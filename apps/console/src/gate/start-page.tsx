import { useProfile, useVerdict } from "@lango/client/react";
import { Redirect } from "./redirect.tsx";
import { VerdictPage } from "./verdict-page.tsx";

/** `/`: redirects to the user's own tenant after the sign-in. */
export const StartPage = () => <OwnTenant path="" />;

/** `/subscribe` (§5.16): redirects to the subscription page of the user's own tenant. */
export const OwnSubscribePage = () => <OwnTenant path="/subscribe" />;

function OwnTenant({ path }: { path: string }) {
	const verdict = useVerdict({ ignoresSubscription: true });
	const profile = useProfile();
	if (verdict.go !== "on") return <VerdictPage verdict={verdict} slug={undefined} />;
	return <Redirect to={`/${profile?.tenantSlug ?? ""}${path}`} />;
}
