import type { Database } from "@lango/postgres";
import type { Client } from "../../clients/client.ts";
import { matchRedirectUri } from "../../clients/redirect-uri.ts";
import { oauthFailures } from "../../failures.ts";
import { findTenantBySlug } from "../../tenants/tenant.store.ts";
import { type Parameters, parameter, requiredParameter } from "../request.ts";

/** Where the answer goes, and the tenant the code is issued for; without `tenant` the person's primary one. */
export type RedirectTarget = { redirectUri: string; tenant: string | undefined };

/**
 * RFC 6749 §3.1.2.3, RFC 9700 §2.1: the address is registered. A tenant in its path must exist and be the requested one;
 * when the request names no tenant, the code is issued for the tenant in the path. So a code of one tenant is never sent to
 * an address of another. Throws `invalid_request`.
 */
export async function checkRedirectUri(
	db: Database,
	client: Client,
	parameters: Parameters,
): Promise<RedirectTarget> {
	const requested = requiredParameter(parameters, "redirect_uri");
	const match = matchRedirectUri(client, requested);
	const tenant = parameter(parameters, "tenant");
	const slug = match?.tenantSlug;
	const fits = match !== undefined && (slug === undefined || tenant === undefined || slug === tenant);
	if (!fits || (slug !== undefined && (await findTenantBySlug(db, slug)) === undefined))
		throw oauthFailures.invalid_request({ message: "redirect_uri is not registered for this client." });
	return { redirectUri: requested, tenant: tenant ?? slug };
}
