import type { Database } from "@lango/postgres";
import { failures } from "../failures.ts";
import { findTenantBySlug, type Tenant } from "./tenant.store.ts";

const slugForm = /^[a-z0-9-]{2,63}$/;

/** The tenant with this slug. Throws `tenant_not_found`, also for a text that cannot be a slug. */
export async function requireTenant(db: Database, slug: string): Promise<Tenant> {
	const tenant = slugForm.test(slug) ? await findTenantBySlug(db, slug) : undefined;
	if (tenant === undefined) throw failures.tenant_not_found();
	return tenant;
}
