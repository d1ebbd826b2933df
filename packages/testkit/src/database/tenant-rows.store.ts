import { type Database, inTenant } from "@lango/postgres";

/**
 * Counts a tenant's rows in each table with a tenant_id. The tables come from the catalogue, so new ones are
 * included.
 */
export async function countTenantRows(db: Database, tenantId: string): Promise<Record<string, number>> {
	return inTenant(db, tenantId, async (tx) => {
		const tables = await tx.query<{ name: string }>(
			`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
			  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not a.attisdropped order by 1`,
		);
		const counts: Record<string, number> = {};
		for (const { name } of tables) {
			const [row] = await tx.query<{ rows: number }>(
				`select count(*)::int as rows from ${name} where tenant_id = $1`,
				[tenantId],
			);
			counts[name] = row?.rows ?? 0;
		}
		return counts;
	});
}

/**
 * Changes a tenant's id, as a service does after the sign-on service has confirmed it. Resolves with the
 * replaced rows.
 */
export function repointTenant(
	db: Database,
	{ slug, from, to }: { slug: string; from: string; to: string },
): Promise<Array<{ from_table: string; yielded: Record<string, unknown> }>> {
	return db.query("select * from repoint_tenant($1, $2, $3)", [slug, from, to]);
}
