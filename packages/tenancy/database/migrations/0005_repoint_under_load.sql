-- breaking: no

-- Takes the tables that a merge loosens before anything else is held: whoever writes into one of them holds it and waits for the
-- tenant next, and would wait for ever for who holds the tenant and waits for the table. What is not had within a moment is given
-- back and tried again, so that nobody is held up for longer. Nothing is taken where foreign keys take everything along.
create function lock_tables_of_tenants(p_to uuid)
returns void
language plpgsql
set search_path = public, pg_temp
set lock_timeout = '100ms'
as $$
declare
  ordered regclass[] := tables_of_tenants();
  one regclass;
begin
  if not exists (select from tenants where id = p_to) and not exists (
    select from unnest(ordered) t where not exists (
      select from pg_constraint r join pg_attribute a on a.attrelid = r.conrelid and a.attnum = any (r.conkey)
       where r.contype = 'f' and r.conrelid = t and r.confupdtype = 'c' and a.attname = 'tenant_id')) then
    return;
  end if;
  for attempt in 1..50 loop
    begin
      for one in
        select c.oid from pg_class c
         where c.oid = any (ordered) or c.relforcerowsecurity and exists (
           select from pg_constraint r where r.contype = 'f' and r.conrelid = c.oid and r.confrelid = any (ordered))
         order by c.oid
      loop
        execute format('lock table %s in access exclusive mode', one);
      end loop;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.02 + random() * 0.08);
    end;
  end loop;
  raise lock_not_available using message = 'the tables of tenants were not to be had';
end
$$;

revoke execute on function lock_tables_of_tenants(uuid) from public;

-- Gives everything of a tenant to another id, the one that the sign-on service has for its slug; what both have is
-- merged, and the rows that yielded are returned. Called when the sign-on service has confirmed the new id and does not
-- know the old one (decision 0045), and for no other reason: so the caller names the slug under which the old id is known
-- here, sees no tenant, and gets no rows of tenants that stay.
--
-- Runs as the owner of the tables. Their policies show it one tenant at a time, and a row that goes from one to another
-- is neither's: for the length of this transaction they do not bind their owner. Nobody else works as the owner, and until
-- the commit nobody else gets at those tables.
create or replace function repoint_tenant(p_slug text, p_from uuid, p_to uuid)
returns table (from_table text, yielded jsonb)
language plpgsql security definer
set search_path = public, pg_temp
set lock_timeout = '3s'
as $$
#variable_conflict use_column
declare
  ordered regclass[] := tables_of_tenants();
  behind regclass[] := '{}';
  forced regclass[];
  one regclass;
  rule record;
  pair record;
  has_rows boolean;
begin
  if nullif(current_setting('app.tenant_id', true), '') is not null then
    raise exception 'a tenant is repointed by a transaction that sees none';
  end if;
  perform pg_advisory_xact_lock(hashtext('repoint_tenant'));
  perform lock_tables_of_tenants(p_to);
  perform from tenants where id in (p_from, p_to) order by id for update;
  if p_from = p_to or not exists (select from tenants where id = p_from and slug = p_slug and deleted_at is null) then
    raise exception 'the tenant % is not known here as "%"', p_from, p_slug;
  end if;
  if exists (select from tenants where id = p_to and deleted_at is not null) then
    raise exception 'the tenant % is deleted', p_to;
  end if;

  -- Foreign keys take along what refers to it; what is left then has none, or waits to be merged.
  if not exists (select from tenants where id = p_to) then
    update tenants set id = p_to, version = 0 where id = p_from;
  end if;
  perform set_config('app.tenant_id', p_from::text, true);
  foreach one in array ordered loop
    execute format('select exists (select from %s where tenant_id = $1)', one) into has_rows using p_from;
    if has_rows then
      behind := behind || one;
    end if;
  end loop;
  perform set_config('app.tenant_id', '', true);
  if cardinality(behind) > 0 then
    select coalesce(array_agg(c.oid::regclass order by c.oid), '{}') into forced
      from pg_class c
     where c.relforcerowsecurity and (c.oid = any (ordered) or exists (
       select from pg_constraint r where r.contype = 'f' and r.conrelid = c.oid and r.confrelid = any (ordered)));
    foreach one in array forced loop
      execute format('alter table %s no force row level security', one);
    end loop;
    -- What a service must settle of its own before two rows of a kind meet: numbers that go on counting, sums, what was erased.
    if to_regprocedure('prepare_merge(uuid, uuid)') is not null then
      execute 'select prepare_merge($1, $2)' using p_from, p_to;
    end if;
    foreach one in array behind loop
      for rule in select * from unique_rules(one) where 'tenant_id' = any (columns) loop
        for pair in execute format(
          'select to_jsonb(t) as moving from (select * from %1$s where %3$s) t join (select * from %1$s where %3$s) r
               on r.tenant_id = $2 and %2$s where t.tenant_id = $1',
          one, equal_in(one, array_remove(rule.columns, 'tenant_id'), rule.nulls_equal), rule.predicate) using p_from, p_to
        loop
          return query select * from place_row(one, pair.moving, jsonb_build_object('tenant_id', p_to));
        end loop;
      end loop;
    end loop;
    foreach one in array behind loop
      execute format('update %s set tenant_id = $2 where tenant_id = $1', one) using p_from, p_to;
    end loop;
    if to_regprocedure('settle_merged_people(uuid)') is not null then
      execute 'select settle_merged_people($1)' using p_to;
    end if;
    foreach one in array forced loop
      execute format('alter table %s force row level security', one);
    end loop;
  end if;
  delete from tenants where id = p_from;
  perform pg_notify('domain_changed', concat_ws(' ', 'tenant', p_to, p_slug, p_from));
end
$$;
