import type { AccessTokenClaims } from "@lango/contracts";
import { type Tenancy, type Tenant, TenantDrifted, TenantUnavailable } from "@lango/tenancy";
import { chassisFailures } from "../../request/failure.ts";

/**
 * Returns the tenant. Throws 404 if there is no such tenant or the sign-on service knows it by another id
 * (the log has the reason), and 503 if it is unknown here and the sign-on service is unavailable.
 */
export async function foundOrRefused(search: Promise<Tenant | undefined>): Promise<Tenant> {
	const tenant = await search.catch((cause) => {
		if (cause instanceof TenantDrifted) throw chassisFailures.tenant_not_found({ cause });
		if (cause instanceof TenantUnavailable) throw chassisFailures.unavailable({ cause });
		throw cause;
	});
	if (tenant === undefined) throw chassisFailures.tenant_not_found();
	return tenant;
}

/**
 * The tenant of a token. The token's slug helps to find it if only its id is named. Refuses as
 * `foundOrRefused`.
 */
export async function findOwnTenant(
	tenancy: Tenancy,
	{ tenant_id: id, tenant_slug: slug }: AccessTokenClaims,
): Promise<Tenant> {
	if (id === undefined) throw chassisFailures.tenant_not_found();
	return foundOrRefused(tenancy.findById(id, slug));
}
