import type { Database } from "@lango/postgres";

/** The tenant's row and its settings that concern messages. */
export type LetterheadRow = {
	slug: string;
	name: string;
	time_zone: string;
	currency: string;
	locale: string;
	logo_url: string | null;
	colour: string | null;
	region: unknown;
	reply_to: unknown;
};

/**
 * Returns what a tenant's messages show of it; undefined if the tenant is not known. Call it inside the
 * tenant.
 */
export async function findLetterhead(tx: Database, tenantId: string): Promise<LetterheadRow | undefined> {
	const [row] = await tx.query<LetterheadRow>(
		`select t.slug, t.name, t.time_zone, t.currency, t.locale, b.logo_url, b.colour,
		        coalesce((select c.value from service_config c where c.tenant_id = $1 and c.key = 'phone.region'),
		          (select p.value from platform_config p where p.key = 'phone.region')) as region,
		        coalesce((select c.value from service_config c where c.tenant_id = $1 and c.key = 'mail.reply_to'),
		          (select p.value from platform_config p where p.key = 'mail.reply_to')) as reply_to
		   from tenants t left join tenant_branding b on b.tenant_id = $1 where t.id = $1`,
		[tenantId],
	);
	return row;
}
