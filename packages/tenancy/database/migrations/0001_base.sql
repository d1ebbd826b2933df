-- breaking: no
-- Tenants and outlets as a service other than the sign-on service knows them: copies, with the ids that service gave.

create sequence tenancy_event_numbers;
comment on sequence tenancy_event_numbers is 'Counts the events received about tenants and outlets, so that an answer requested before an event is distinguished from one requested after it.';
grant select, usage on sequence tenancy_event_numbers to lango_app;

create table tenants (
  id uuid constraint tenants__pkey primary key,
  slug text not null constraint tenants__slug_unique unique,
  name text not null,
  status text not null,
  time_zone text not null,
  currency text not null,
  locale text not null,
  synced_at timestamptz not null,
  created_at timestamptz not null default now(),
  version integer not null default 0,
  event_number bigint not null default 0,
  deleted_at timestamptz,
  erased_at timestamptz,
  wanted_slug text,
  outlet_isolation text not null default 'strict'
    constraint tenants__outlet_isolation_check check (outlet_isolation in ('strict', 'open'))
);
create index tenants__half_erased on tenants (deleted_at) where deleted_at is not null and erased_at is null;
create index tenants__wanting on tenants (synced_at) where wanted_slug is not null;
comment on table tenants is 'Customers of the platform, and the platform owner itself; copied from the sign-on service (spec §2.1).';
comment on column tenants.id is 'Given by the sign-on service and the same in every service; never made here.';
comment on column tenants.slug is 'The name in addresses. It may change; the id does not. A tenant whose name is not known has its id here.';
comment on column tenants.status is 'Only active tenants are served. unknown: an event named it without its data; deleted: nothing is kept of it, and it is never made again.';
comment on column tenants.synced_at is 'When it was last received from the sign-on service.';
comment on column tenants.version is 'Of the last event about it; 0: known from answers alone. What an event of a lower version says is ignored.';
comment on column tenants.event_number is 'The number of that event, counted by tenancy_event_numbers: an answer that was asked for before is ignored.';
comment on column tenants.deleted_at is 'Since when it is erased here.';
comment on column tenants.erased_at is 'When nothing was left of it, and no request of before could add to it any more.';
comment on column tenants.wanted_slug is 'The slug in an event while another tenant had it here: the sign-on service is asked for its tenant.';
comment on column tenants.outlet_isolation is 'open: people bound to outlets read the whole tenant where they name no outlet; their changes stay within their outlets.';

create table outlets (
  id uuid not null,
  tenant_id uuid not null constraint outlets__tenant_fkey references tenants (id) on update cascade,
  code text not null,
  name text not null,
  use_case text not null
    constraint outlets__use_case_check
    check (use_case in ('hospitality', 'retail', 'quick_service', 'pharmacy', 'services', 'logistics')),
  is_hq boolean not null,
  status text not null,
  settings jsonb not null,
  synced_at timestamptz not null,
  version integer not null default 0,
  event_number bigint not null default 0,
  constraint outlets__pkey primary key (tenant_id, id)
);
comment on table outlets is 'Places a tenant works at; copied from the sign-on service (spec §2.2).';
comment on column outlets.status is 'archived ones are not shown in lists.';
comment on column outlets.synced_at is 'When it was last received from the sign-on service.';
comment on column outlets.version is 'Of the last event about it; 0: known from answers alone.';
comment on column outlets.event_number is 'The number of that event, counted by tenancy_event_numbers: an answer that was asked for before is ignored.';

alter table outlets enable row level security;
alter table outlets force row level security;
create policy outlets__tenant on outlets using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy outlets__platform on outlets for select to lango_platform using (true);

grant select, insert, update on tenants to lango_app;
grant select, insert, update on outlets to lango_app;
grant select on tenants, outlets to lango_platform;

-- Notifies every process, at the commit, that what it has cached of a tenant has changed.
create function notify_tenant_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    perform pg_notify('domain_changed', concat_ws(' ', 'tenant', new.id, new.slug));
  else
    perform pg_notify('domain_changed', concat_ws(' ', 'tenant', new.id, new.slug, old.id, old.slug));
  end if;
  return null;
end
$$;
create trigger tenants__made after insert on tenants for each row execute function notify_tenant_changed();
create trigger tenants__changed after update on tenants for each row
  when ((old.id, old.slug, old.name, old.status, old.time_zone, old.currency, old.locale, old.outlet_isolation)
        is distinct from (new.id, new.slug, new.name, new.status, new.time_zone, new.currency, new.locale, new.outlet_isolation))
  execute function notify_tenant_changed();

-- Removes rows of a tenant that was deleted, p_limit at most, from every table that has a tenant_id and is not kept; says
-- how many. A table goes after those that refer to it. Runs as the owner of the tables, held to this tenant by their policies.
create function erase_tenant_rows(p_tenant_id uuid, p_kept text[], p_limit integer)
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  pending regclass[];
  next_table regclass;
  removed integer := 0;
  removed_here integer;
begin
  if not exists (select from tenants where id = p_tenant_id and deleted_at is not null) then
    raise exception 'the tenant % is not deleted', p_tenant_id;
  end if;
  perform set_config('app.tenant_id', p_tenant_id::text, true);
  -- What a service must change of its own before: rows that are kept and name others, and values that lead to a row.
  if to_regprocedure('prepare_erasure(uuid, integer)') is not null then
    execute 'select prepare_erasure($1, $2)' into removed using p_tenant_id, p_limit;
    if removed >= p_limit then
      return removed;
    end if;
  end if;
  select coalesce(array_agg(c.oid::regclass), '{}') into pending
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname <> all (p_kept);
  while cardinality(pending) > 0 loop
    select t into next_table from unnest(pending) t
     where not exists (
       select from pg_constraint r
        where r.confrelid = t and r.conrelid <> t and r.conrelid = any (pending) and r.confdeltype in ('a', 'r'))
     limit 1;
    if next_table is null then
      raise exception 'these tables refer to each other in a circle: %', pending;
    end if;
    -- The tenant twice: a cluster deletes by ctid on one node only.
    execute format('delete from %1$s where tenant_id = $1 and ctid = any (array(select ctid from %1$s where tenant_id = $1 limit $2))', next_table)
      using p_tenant_id, p_limit - removed;
    get diagnostics removed_here = row_count;
    removed := removed + removed_here;
    if removed >= p_limit then
      return removed;
    end if;
    pending := array_remove(pending, next_table);
  end loop;
  return removed;
end
$$;
revoke execute on function erase_tenant_rows(uuid, text[], integer) from public;
grant execute on function erase_tenant_rows(uuid, text[], integer) to lango_app;

-- What no two rows of a table may have alike: the columns of each unique index over plain columns, and the rows it is for.
create function unique_rules(p_table regclass)
returns table (columns text[], nulls_equal boolean, is_primary boolean, predicate text)
language sql stable
set search_path = public, pg_temp
as $$
  select array_agg(a.attname::text order by k.position), i.indnullsnotdistinct, i.indisprimary,
         coalesce(pg_get_expr(i.indpred, i.indrelid), 'true')
    from pg_index i
    cross join unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality k (number, position)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
   where i.indrelid = p_table and i.indisunique and i.indexprs is null
   group by i.indexrelid, i.indrelid, i.indpred, i.indnullsnotdistinct, i.indisprimary
$$;

-- The condition that the row t of a table is equal to r in these columns.
create function equal_in(p_table regclass, p_columns text[], p_nulls_equal boolean)
returns text
language sql stable
set search_path = public, pg_temp
as $$
  select coalesce(string_agg(
           case when p_nulls_equal and not attnotnull
                then format('(t.%1$I = r.%1$I or (t.%1$I is null and r.%1$I is null))', attname)
                else format('t.%1$I = r.%1$I', attname) end, ' and '), 'true')
    from pg_attribute where attrelid = p_table and attname = any (p_columns)
$$;

-- The condition that the row t of a table is the row r, and no other that looks like it.
create function same_row(p_table regclass)
returns text
language sql stable
set search_path = public, pg_temp
as $$
  select coalesce((
    select equal_in(p_table, columns, true) from unique_rules(p_table)
     where predicate = 'true' and (nulls_equal or is_primary) order by is_primary desc limit 1), 'to_jsonb(t) = to_jsonb(r)')
$$;

-- When a row was last changed, as far as its columns say.
create function changed_at_of(p_row jsonb)
returns timestamptz
language sql immutable
set search_path = public, pg_temp
as $$
  select coalesce(p_row ->> 'updated_at', p_row ->> 'changed_at', p_row ->> 'assigned_at', p_row ->> 'synced_at', p_row ->> 'set_at',
                  '-infinity')::timestamptz
$$;

-- Gives the columns in p_patch to one row. Where another row has what would be its unique values, the one that was
-- changed later stays (the other row, when neither was), what refers to the one that yields refers to the one that
-- stays, and the one that yields is removed and returned with its table.
create function place_row(p_table regclass, p_row jsonb, p_patch jsonb)
returns table (from_table text, yielded jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  rule record;
  twin jsonb;
  changed integer;
begin
  for rule in select * from unique_rules(p_table) where columns && array(select jsonb_object_keys(p_patch)) loop
    execute format(
      'select to_jsonb(t) from (select * from %1$s where %3$s) t,
              (select * from jsonb_populate_record(null::%1$s, $1) x where %3$s) r where %2$s and to_jsonb(t) <> $2 limit 1',
      p_table, equal_in(p_table, rule.columns, rule.nulls_equal), rule.predicate)
      into twin using p_row || p_patch, p_row;
    continue when twin is null;
    if changed_at_of(p_row) <= changed_at_of(twin) then
      return query select * from yield_row(p_table, p_row, twin);
      return;
    end if;
    return query select * from yield_row(p_table, twin, p_row);
  end loop;
  execute format(
    'update %1$s t set %2$s from jsonb_populate_record(null::%1$s, $1) r, jsonb_populate_record(null::%1$s, $2) n where %3$s',
    p_table, (select string_agg(format('%1$I = n.%1$I', name), ', ') from jsonb_object_keys(p_patch) name), same_row(p_table))
    using p_row, p_row || p_patch;
  get diagnostics changed = row_count;
  if changed <> 1 then
    raise exception 'a row of % was not found again', p_table;
  end if;
end
$$;

-- Removes a row for another one; what refers to it refers to the other from now on.
create function yield_row(p_table regclass, p_row jsonb, p_stays jsonb)
returns table (from_table text, yielded jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  reference record;
  child jsonb;
begin
  for reference in
    select r.conrelid::regclass as child_table, array_agg(c.attname::text order by k.position) as names,
           array_agg(p.attname::text order by k.position) as parent_names
      from pg_constraint r
      cross join unnest(r.conkey, r.confkey) with ordinality k (child_number, parent_number, position)
      join pg_attribute c on c.attrelid = r.conrelid and c.attnum = k.child_number
      join pg_attribute p on p.attrelid = r.confrelid and p.attnum = k.parent_number
     where r.contype = 'f' and r.confrelid = p_table and r.conparentid = 0
     group by r.oid, r.conrelid
  loop
    -- A row that refers to two rows was perhaps moved to the other tenant with one of them already.
    for child in execute format(
      'select to_jsonb(t) from %1$s t, jsonb_populate_record(null::%1$s, $1) r where %2$s and %3$s',
      reference.child_table, equal_in(reference.child_table, array_remove(reference.names, 'tenant_id'), false),
      case when 'tenant_id' = any (reference.names) then 't.tenant_id = any ($2)' else '$2 is not null' end)
      using (select jsonb_object_agg(n.name, p_row -> n.parent_name) from unnest(reference.names, reference.parent_names) n (name, parent_name)),
            array[(p_row ->> 'tenant_id')::uuid, (p_stays ->> 'tenant_id')::uuid]
    loop
      return query select * from place_row(reference.child_table, child,
        (select jsonb_object_agg(n.name, p_stays -> n.parent_name) from unnest(reference.names, reference.parent_names) n (name, parent_name)));
    end loop;
  end loop;
  execute format('delete from %1$s t using jsonb_populate_record(null::%1$s, $1) r where %2$s', p_table, same_row(p_table)) using p_row;
  return query select p_table::text, p_row;
end
$$;

-- All tables with a tenant_id, each after those it refers to.
create function tables_of_tenants()
returns regclass[]
language plpgsql stable
set search_path = public, pg_temp
as $$
declare
  pending regclass[];
  ordered regclass[] := '{}';
  next_table regclass;
begin
  select coalesce(array_agg(c.oid::regclass order by c.oid), '{}') into pending
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition;
  while cardinality(pending) > 0 loop
    select t into next_table from unnest(pending) with ordinality p (t, place)
     where not exists (
       select from pg_constraint r
        where r.contype = 'f' and r.conrelid = t and r.confrelid <> t and r.confrelid = any (pending))
     order by place limit 1;
    if next_table is null then
      raise exception 'these tables refer to each other in a circle: %', pending;
    end if;
    ordered := ordered || next_table;
    pending := array_remove(pending, next_table);
  end loop;
  return ordered;
end
$$;

-- Locks the tables that a merge loosens before anything else: a transaction that writes into one of them has its lock and waits for
-- the tenant next, and would wait for ever for one that has locked the tenant and waits for the table. A lock that is not available
-- within a moment is released and tried again, so that no transaction waits for longer. Nothing is taken where foreign keys take everything along.
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
  raise lock_not_available using message = 'the tables of tenants could not be locked';
end
$$;

-- Gives everything of a tenant to another id, the one that the sign-on service has for its slug; what both have is
-- merged, and the rows that yielded are returned. Called when the sign-on service has confirmed the new id and does not
-- know the old one (decision 0045), and for no other reason: so the caller names the slug under which the old id is known
-- here, sees no tenant, and gets no rows of tenants that stay.
--
-- Runs as the owner of the tables. Their policies show it one tenant at a time, and a row that goes from one to another
-- is neither's: for the length of this transaction they do not bind their owner. No other connection works as the owner, and
-- until the commit no other transaction reads those tables.
create function repoint_tenant(p_slug text, p_from uuid, p_to uuid)
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
    -- A row may refer to several rows that are moved one after the other.
    set constraints all deferred;
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
    set constraints all immediate;
    foreach one in array forced loop
      execute format('alter table %s force row level security', one);
    end loop;
  end if;
  delete from tenants where id = p_from;
  perform pg_notify('domain_changed', concat_ws(' ', 'tenant', p_to, p_slug, p_from));
end
$$;
revoke execute on function repoint_tenant(text, uuid, uuid), place_row(regclass, jsonb, jsonb), yield_row(regclass, jsonb, jsonb),
  lock_tables_of_tenants(uuid) from public;
grant execute on function repoint_tenant(text, uuid, uuid) to lango_app;
