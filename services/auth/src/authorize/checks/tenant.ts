import { oauthFailures } from "../../failures.ts";
import type { BrowserSession } from "../../sessions/browser-session.store.ts";

/** Spec §5.4: the person belongs to the tenant asked for (or their primary one), and it is active. */
export function checkTenant({ standing }: BrowserSession): void {
	if (standing === undefined) throw oauthFailures.access_denied();
	if (standing.tenant.status !== "active")
		throw oauthFailures.access_denied({ message: "This tenant is not active." });
}
