import type { AccessTokenClaims } from "@lango/contracts";
import { type Tenancy, type Tenant, TenantDrifted, TenantUnavailable } from "@lango/tenancy";
import { chassisFailures } from "../../request/failure.ts";

/**
 * The tenant looked for, or a refusal: 404 when there is none or when the sign-on service knows it by another id (the
 * reason is in the log), 503 when it is unknown here and the sign-on service cannot be asked.
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

/** The tenant a token is for; its slug helps to find it where only its id is named. Refuses as `foundOrRefused`. */
export async function findOwnTenant(
	tenancy: Tenancy,
	{ tenant_id: id, tenant_slug: slug }: AccessTokenClaims,
): Promise<Tenant> {
	if (id === undefined) throw chassisFailures.tenant_not_found();
	return foundOrRefused(tenancy.findById(id, slug));
}
