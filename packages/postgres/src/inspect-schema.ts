import type { Database } from "./transaction.ts";

/**
 * Lists tables with a `tenant_id` whose row-level security is missing or not forced, has no policy on the
 * tenant, or has a second policy that bypasses it for a service's role.
 */
export async function listUnguardedTables(db: Database): Promise<string[]> {
	const rows = await db.query<{ table_name: string }>(`
		select c.relname as table_name
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
		   and (not c.relrowsecurity or not c.relforcerowsecurity or not exists (
		     select from pg_policy p
		      where p.polrelid = c.oid and pg_get_expr(p.polqual, p.polrelid) like '%app.tenant_id%')
		     or exists (
		     select from pg_policy p
		      where p.polrelid = c.oid and p.polpermissive and p.polroles && array[0, to_regrole('lango_app')]::oid[]
		        and coalesce(pg_get_expr(coalesce(p.polqual, p.polwithcheck), p.polrelid), '') not like '%app.tenant_id%'))
		 order by 1`);
	return rows.map(({ table_name }) => table_name);
}

/**
 * Lists tables with an `outlet_id` without the restrictive policy that limits a service's role to the
 * outlets of `app.outlet_ids`, for every command.
 */
export async function listUnboundTables(db: Database): Promise<string[]> {
	const rows = await db.query<{ table_name: string }>(
		`
		select c.relname as table_name
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'outlet_id' and not a.attisdropped
		 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
		   and (not c.relrowsecurity or not exists (
		     select from pg_policy p
		      where p.polrelid = c.oid and not p.polpermissive and p.polcmd = '*' and p.polwithcheck is null
		        and p.polroles = array[to_regrole('lango_app')]::oid[]
		        and pg_get_expr(p.polqual, p.polrelid) = $1))
		 order by 1`,
		[outletPolicy],
	);
	return rows.map(({ table_name }) => table_name);
}

/** The policy's condition as printed by the server. */
const outletPolicy = `((outlet_id IS NULL) OR (current_setting('app.outlet_ids'::text, true) = '*'::text) OR ((outlet_id)::text = ANY (string_to_array(current_setting('app.outlet_ids'::text, true), ','::text))))`;

/**
 * Lists tables with a `tenant_id` without a foreign key to the tenant, direct or through another row of
 * the tenant, that follows a change of the tenant's id. Without it, a late write would keep an id that no
 * longer exists.
 */
export async function listUntiedTables(db: Database): Promise<string[]> {
	const rows = await db.query<{ table_name: string }>(`
		select c.relname as table_name
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		   and not exists (
		     select from pg_constraint r
		      where r.conrelid = c.oid and r.contype = 'f' and r.confupdtype = 'c' and a.attnum = any (r.conkey))
		 order by 1`);
	return rows.map(({ table_name }) => table_name);
}

/**
 * Lists keys without the tenant: primary keys and unique rules of tables with a `tenant_id` that do not
 * contain it, foreign keys between such tables that do not carry it, and tables whose `tenant_id` can be
 * null, as
 * `table: what`. With the tenant in every key, the database refuses a reference to another tenant's row,
 * and
 * the table can be distributed by its tenant.
 */
export async function listKeysWithoutTenant(db: Database): Promise<string[]> {
	const rows = await db.query<{ line: string }>(`
		with tenant_tables as (
		  select c.oid, c.relname as name, a.attnum, a.attnotnull
		    from pg_class c
		    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition)
		select t.name || ': ' || i.indexrelid::regclass as line
		  from tenant_tables t
		  join pg_index i on i.indrelid = t.oid and i.indisunique and t.attnum <> all (i.indkey::int2[])
		union all
		select t.name || ': ' || r.conname
		  from tenant_tables t
		  join pg_constraint r on r.conrelid = t.oid and r.contype = 'f' and t.attnum <> all (r.conkey)
		  join tenant_tables other on other.oid = r.confrelid
		union all
		select t.name || ': without a primary key' from tenant_tables t
		 where not exists (select from pg_index i where i.indrelid = t.oid and i.indisprimary)
		union all
		select t.name || ': of no tenant' from tenant_tables t where not t.attnotnull
		 order by 1`);
	return rows.map(({ line }) => line);
}
