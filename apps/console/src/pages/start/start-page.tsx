import { useProfile, useVerdict } from "@lango/client/react";
import { Go } from "../../session/go.tsx";
import { VerdictPage } from "../../session/verdict-page.tsx";

/** `/`: to the person's own tenant, by way of the sign-in. */
export function StartPage() {
	const verdict = useVerdict({ ignoresSubscription: true });
	const profile = useProfile();
	if (verdict.go !== "on") return <VerdictPage verdict={verdict} slug={undefined} />;
	return <Go to={`/${profile?.tenantSlug ?? ""}`} />;
}
