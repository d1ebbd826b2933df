import type { Client } from "../clients/client.ts";
import { matchRedirectUri } from "../clients/redirect-uri.ts";
import type { Dependencies } from "../dependencies.ts";
import { oauthFailures } from "../failures.ts";
import { findTenantBySlug } from "../tenants/tenant.store.ts";
import { type Parameters, parameter, requiredParameter } from "./parameters.ts";

/**
 * The client of a request, the address of the answer, and the slug of the tenant; without a slug the
 * person's primary tenant.
 */
export type RedirectTarget = { client: Client; redirectUri: string; tenantSlug: string | undefined };

/**
 * Finds the client of a request (RFC 6749 §4.1.1) and checks that the redirect address is registered
 * (§3.1.2.3, RFC 9700 §2.1). A tenant in the path of the address must exist and be the requested one; if
 * the request names no tenant, the code is issued for the tenant in the path. So a code of one tenant is
 * never sent to an address of another. Throws `invalid_request`.
 */
export async function findRedirectTarget(
	{ clients, db }: Pick<Dependencies, "clients" | "db">,
	parameters: Parameters,
): Promise<RedirectTarget> {
	const client = await clients.find(requiredParameter(parameters, "client_id"));
	if (client === undefined)
		throw oauthFailures.invalid_request({ message: "client_id is not the id of a registered client." });
	const redirectUri = requiredParameter(parameters, "redirect_uri");
	const match = matchRedirectUri(client, redirectUri);
	const requested = parameter(parameters, "tenant");
	const inPath = match?.tenantSlug;
	const fits =
		match !== undefined && (inPath === undefined || requested === undefined || inPath === requested);
	if (!fits || (inPath !== undefined && (await findTenantBySlug(db, inPath)) === undefined))
		throw oauthFailures.invalid_request({ message: "redirect_uri is not registered for this client." });
	return { client, redirectUri, tenantSlug: requested ?? inPath };
}
