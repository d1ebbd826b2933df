import type { PublicOutlet, PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";

type TenantRow = {
	id: string;
	slug: string;
	name: string;
	status: string;
	logo_url: string | null;
	colour: string | null;
	time_zone: string;
	currency: string;
	locale: string;
};

/** A tenant as anybody may see it. */
export async function findTenantBySlug(db: Database, slug: string): Promise<PublicTenant | undefined> {
	const [row] = await db.query<TenantRow>(
		"select id, slug, name, status, logo_url, colour, time_zone, currency, locale from tenants where slug = $1 and status <> 'deleted'",
		[slug],
	);
	if (row === undefined) return undefined;
	const { logo_url, colour, ...tenant } = row;
	return { ...tenant, branding: { logo_url, colour } };
}

/** A tenant's outlets as anybody may see them, by code; archived ones with their status, at most 500. */
export async function listOutlets(db: Database, tenantId: string): Promise<PublicOutlet[]> {
	return inTenant(db, tenantId, (tx) =>
		tx.query<PublicOutlet>(
			"select id, code, name, use_case, is_hq, status, settings from outlets where tenant_id = $1 order by code limit 500",
			[tenantId],
		),
	);
}
