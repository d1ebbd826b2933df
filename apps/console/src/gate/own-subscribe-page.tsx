import { useProfile, useVerdict } from "@lango/client/react";
import { Redirect } from "./redirect.tsx";
import { VerdictPage } from "./verdict-page.tsx";

/** `/subscribe` (§5.16): redirects to the subscription page of the user's own tenant. */
export function OwnSubscribePage() {
	const verdict = useVerdict({ ignoresSubscription: true });
	const profile = useProfile();
	if (verdict.go !== "on") return <VerdictPage verdict={verdict} slug={undefined} />;
	return <Redirect to={`/${profile?.tenantSlug ?? ""}/subscribe`} />;
}
