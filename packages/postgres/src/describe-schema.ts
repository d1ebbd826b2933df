import type { Database } from "./database.ts";

/**
 * Describes all tables, columns, constraints, indexes, policies, functions, triggers, grants and comments of the
 * public schema, one sorted line each, so that two databases can be compared by their text. The table of
 * migrations is left out: it belongs to the migrating, not to the schema.
 */
export async function describeSchema(db: Database): Promise<string[]> {
	const rows = await db.query<{ line: string }>(catalogue);
	return rows.map(({ line }) => line);
}

/** Tables with a `tenant_id` whose row-level security is missing, not forced, or has no policy on the tenant. */
export async function listUnguardedTables(db: Database): Promise<string[]> {
	const rows = await db.query<{ table_name: string }>(`
		select c.relname as table_name
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
		 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
		   and (not c.relrowsecurity or not c.relforcerowsecurity or not exists (
		     select from pg_policy p
		      where p.polrelid = c.oid and pg_get_expr(p.polqual, p.polrelid) like '%app.tenant_id%'))
		 order by 1`);
	return rows.map(({ table_name }) => table_name);
}

const catalogue = `
with public_class as (
  select oid, relname, relkind, relrowsecurity, relforcerowsecurity, relacl from pg_class
   where relnamespace = 'public'::regnamespace and relname not like 'migrations%'
)
select 'table ' || relname || ' rls=' || relrowsecurity || ' forced=' || relforcerowsecurity as line
  from public_class where relkind in ('r', 'p')
union all
select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || case when a.attnotnull then ' not null' else '' end
       || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') || ' generated=' || a.attgenerated || a.attidentity
  from pg_attribute a join public_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
 where a.attnum > 0 and not a.attisdropped
union all
select 'constraint ' || c.relname || '.' || con.conname || ' ' || pg_get_constraintdef(con.oid)
  from pg_constraint con join public_class c on c.oid = con.conrelid
union all
select 'index ' || pg_get_indexdef(c.oid) from public_class c where c.relkind = 'i'
union all
select 'policy ' || c.relname || '.' || p.polname || ' ' || p.polcmd || ' to ' || array_to_string(p.polroles::regrole[], ',')
       || coalesce(' using ' || pg_get_expr(p.polqual, p.polrelid), '')
       || coalesce(' check ' || pg_get_expr(p.polwithcheck, p.polrelid), '')
  from pg_policy p join public_class c on c.oid = p.polrelid
union all
select 'function ' || pg_get_functiondef(p.oid) || ' owner ' || p.proowner::regrole::text
       || coalesce(' acl ' || (select string_agg(g::text, ',' order by g::text) from unnest(p.proacl) g), '')
  from pg_proc p where p.pronamespace = 'public'::regnamespace
   and not exists (select from pg_depend e where e.objid = p.oid and e.deptype = 'e')
union all
select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t join public_class c on c.oid = t.tgrelid where not t.tgisinternal
union all
select 'grant ' || c.relname || ' ' || g::text from public_class c, unnest(c.relacl) g where c.relkind in ('r', 'p', 'S')
union all
select 'grant ' || c.relname || '.' || a.attname || ' ' || g::text
  from pg_attribute a join public_class c on c.oid = a.attrelid, unnest(a.attacl) g
union all
select 'comment ' || c.relname || coalesce('.' || a.attname, '') || ' ' || d.description
  from pg_description d join public_class c on c.oid = d.objoid and d.classoid = 'pg_class'::regclass
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid and d.objsubid > 0
order by 1`;
