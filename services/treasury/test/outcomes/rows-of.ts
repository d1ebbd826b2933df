import { type Database, inTenant } from "@lango/postgres";

/** Reads every row of a tenant, one hash for each table. */
export async function rowsOf(db: Database, tenantId: string): Promise<Record<string, string>> {
	return inTenant(db, tenantId, async (tx) => {
		const tables = await tx.query<{ name: string }>(
			`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
			  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and has_table_privilege(c.oid, 'select') order by 1`,
		);
		const hashes: Record<string, string> = {};
		for (const { name } of tables) {
			const [row] = await tx.query<{ hash: string }>(
				`select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as hash from ${name} t where tenant_id = $1`,
				[tenantId],
			);
			hashes[name] = row?.hash ?? "";
		}
		return hashes;
	});
}
