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
		        coalesce((select value from service_config where key = 'phone.region'), (select value from platform_config where key = 'phone.region')) as region,
		        coalesce((select value from service_config where key = 'mail.reply_to'), (select value from platform_config where key = 'mail.reply_to')) as reply_to
		   from tenants t left join tenant_branding b on b.tenant_id = t.id where t.id = $1`,
		[tenantId],
	);
	return row;
}
