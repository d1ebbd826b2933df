import type { Database } from "./transaction.ts";

/**
 * Describes the public schema: tables, views, columns, constraints, indexes, policies, functions, triggers,
 * types, grants and comments, one sorted line each, so that two databases can be compared as text. The table
 * of migrations is excluded.
 */
export async function describeSchema(db: Database): Promise<string[]> {
	const rows = await db.query<{ line: string }>(catalogue);
	return rows.map(({ line }) => line);
}

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
 * Lists tables with an `outlet_id` without the restrictive policy that limits a service's role to the outlets
 * of `app.outlet_ids`, for every command.
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
 * Lists tables with a `tenant_id` without a foreign key to the tenant, direct or through another row of the
 * tenant, that follows a change of the tenant's id. Without it, a late write would keep an id that no longer
 * exists.
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

const catalogue = `
with public_class as (
  select oid, relname, relkind, relrowsecurity, relforcerowsecurity, relacl, relowner from pg_class
   where relnamespace = 'public'::regnamespace and relname not in ('migrations', 'migrations__pkey')
), public_function as (
  select oid, proname, proowner, proacl from pg_proc p
   where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
     and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
)
select 'table ' || relname || ' rls=' || relrowsecurity || ' forced=' || relforcerowsecurity
       || ' owner ' || relowner::regrole::text as line
  from public_class where relkind in ('r', 'p')
union all
select 'view ' || relname || ' owner ' || relowner::regrole::text || ' ' || pg_get_viewdef(oid)
  from public_class where relkind in ('v', 'm')
union all
select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || case when a.attnotnull then ' not null' else '' end
       || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') || ' generated=' || a.attgenerated::text || a.attidentity::text
  from pg_attribute a join public_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
 where a.attnum > 0 and not a.attisdropped
union all
-- Not null is said of the column; its constraint's name differs between servers.
select 'constraint ' || c.relname || '.' || con.conname || ' ' || pg_get_constraintdef(con.oid)
  from pg_constraint con join public_class c on c.oid = con.conrelid
 where con.contype <> 'n'
union all
select 'index ' || pg_get_indexdef(c.oid) from public_class c where c.relkind in ('i', 'I')
union all
select 'policy ' || c.relname || '.' || p.polname || ' ' || p.polcmd::text
       || case when p.polpermissive then ' permissive' else ' restrictive' end
       || ' to ' || (select string_agg(case r when 0 then 'public' else r::regrole::text end, ',' order by r::regrole::text)
                       from unnest(p.polroles) r)
       || coalesce(' using ' || pg_get_expr(p.polqual, p.polrelid), '')
       || coalesce(' check ' || pg_get_expr(p.polwithcheck, p.polrelid), '')
  from pg_policy p join public_class c on c.oid = p.polrelid
union all
select 'function ' || pg_get_functiondef(oid) || ' owner ' || proowner::regrole::text
       || coalesce(' acl ' || (select string_agg(g::text, ',' order by g::text) from unnest(proacl) g), '')
  from public_function
union all
select 'trigger ' || pg_get_triggerdef(t.oid) || ' enabled=' || t.tgenabled::text
  from pg_trigger t join public_class c on c.oid = t.tgrelid where not t.tgisinternal
union all
select 'type ' || t.typname || ' ' || format_type(nullif(t.typbasetype, 0), t.typtypmod)
       || coalesce(' default ' || t.typdefault, '') || coalesce(' ' || (
            select string_agg(pg_get_constraintdef(con.oid), ' ' order by con.conname) from pg_constraint con where con.contypid = t.oid), '')
  from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'd'
union all
select 'type ' || t.typname || ' enum ' || (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
  from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'e'
union all
select 'grant ' || c.relname || ' ' || g::text from public_class c, unnest(c.relacl) g
union all
select 'grant ' || c.relname || '.' || a.attname || ' ' || g::text
  from pg_attribute a join public_class c on c.oid = a.attrelid, unnest(a.attacl) g
union all
select 'comment ' || c.relname || coalesce('.' || a.attname, '') || ' ' || d.description
  from pg_description d join public_class c on c.oid = d.objoid and d.classoid = 'pg_class'::regclass
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid and d.objsubid > 0
union all
select 'comment function ' || f.proname || ' ' || d.description
  from pg_description d join public_function f on f.oid = d.objoid and d.classoid = 'pg_proc'::regclass
order by 1`;
