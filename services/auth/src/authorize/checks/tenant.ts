import { oauthFailures } from "../../failures.ts";
import type { SignedIn } from "../authorization-code.store.ts";

/** Spec §5.4: the person belongs to the tenant asked for (or their primary one), and it is active. */
export function checkTenant({ tenantStatus }: SignedIn): void {
	if (tenantStatus === undefined) throw oauthFailures.access_denied();
	if (tenantStatus !== "active") throw oauthFailures.access_denied({ message: "This tenant is not active." });
}
