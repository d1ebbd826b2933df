import type { Database } from "@lango/postgres";
import type { Client } from "../../clients/client.ts";
import { matchRedirectUri } from "../../clients/redirect-uri.ts";
import { oauthFailures } from "../../failures.ts";
import { findTenantBySlug } from "../../tenants/tenant.store.ts";
import { type Parameters, parameter, requiredParameter } from "../request.ts";

/** RFC 6749 §3.1.2.3, RFC 9700 §2.1: the address is registered; a tenant in its path exists and is the one asked for. */
export async function checkRedirectUri(
	db: Database,
	client: Client,
	parameters: Parameters,
): Promise<string> {
	const requested = requiredParameter(parameters, "redirect_uri");
	const match = matchRedirectUri(client, requested);
	const tenant = parameter(parameters, "tenant");
	const slug = match?.tenantSlug;
	const fits = match !== undefined && (slug === undefined || tenant === undefined || slug === tenant);
	if (!fits || (slug !== undefined && (await findTenantBySlug(db, slug)) === undefined))
		throw oauthFailures.invalid_request({ message: "redirect_uri is not registered for this client." });
	return requested;
}
