import type { Database } from "@lango/postgres";
import { oauthFailures } from "../../failures.ts";
import type { BrowserSession } from "../../sessions/browser-session.store.ts";
import type { Standing } from "../../token/standing.ts";
import { findStanding } from "../../users/user.store.ts";
import { type Parameters, parameter } from "../request.ts";

/** Spec §5.4: the tenant asked for, when the person is a member of it; else their primary one. */
export async function checkTenant(
	db: Database,
	session: BrowserSession,
	parameters: Parameters,
): Promise<Standing> {
	const tenantSlug = parameter(parameters, "tenant") ?? null;
	const standing = await findStanding(db, { userId: session.userId, tenantSlug });
	if (standing === undefined) throw oauthFailures.access_denied();
	if (standing.tenant.status !== "active")
		throw oauthFailures.access_denied({ message: "This tenant is not active." });
	return standing;
}
