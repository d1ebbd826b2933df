import { type Database, inTenant } from "@lango/postgres";

/** How many rows a tenant has in each table with a tenant_id, as the catalogue lists them: a new table is among them by itself. */
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

/** Gives a tenant another id, as a service does once the sign-on service has confirmed it; resolves with the rows that yielded. */
export function repointTenant(
	db: Database,
	{ slug, from, to }: { slug: string; from: string; to: string },
): Promise<Array<{ from_table: string; yielded: Record<string, unknown> }>> {
	return db.query("select * from repoint_tenant($1, $2, $3)", [slug, from, to]);
}
