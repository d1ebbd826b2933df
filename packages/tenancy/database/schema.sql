-- Tenants and outlets as a service other than the sign-on service knows them: copies, with the ids that service gave.

create sequence tenancy_hearings;
comment on sequence tenancy_hearings is 'Counts the events that were heard of tenants and outlets, so that an answer asked for before an event is known from one asked for after it.';
grant select, usage on sequence tenancy_hearings to lango_app;

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
  heard bigint not null default 0,
  deleted_at timestamptz,
  erased_at timestamptz
);
create index tenants__half_erased on tenants (deleted_at) where deleted_at is not null and erased_at is null;
comment on table tenants is 'Customers of the platform, and the platform owner itself; copied from the sign-on service (spec §2.1).';
comment on column tenants.id is 'Given by the sign-on service and the same in every service; never made here.';
comment on column tenants.slug is 'The name in addresses. It may change; the id does not. A tenant whose name is not known has its id here.';
comment on column tenants.status is 'Only active tenants are served. unknown: an event named it and told no more; deleted: nothing is kept of it, and it is never made again.';
comment on column tenants.synced_at is 'When the sign-on service last told of it.';
comment on column tenants.version is 'Of the last event that told of it; 0: known from answers alone. What an event of a lower version says is ignored.';
comment on column tenants.heard is 'Which event it was, counted by tenancy_hearings: an answer that was asked for before is ignored.';
comment on column tenants.deleted_at is 'Since when it is erased here.';
comment on column tenants.erased_at is 'When nothing was left of it, and no request of before could add to it any more.';

create table outlets (
  id uuid constraint outlets__pkey primary key,
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
  heard bigint not null default 0
);
create index outlets__tenant on outlets (tenant_id);
comment on table outlets is 'Places a tenant works at; copied from the sign-on service (spec §2.2).';
comment on column outlets.status is 'archived ones are not shown in lists.';
comment on column outlets.synced_at is 'When the sign-on service last told of it.';
comment on column outlets.version is 'Of the last event that told of it; 0: known from answers alone.';
comment on column outlets.heard is 'Which event it was, counted by tenancy_hearings: an answer that was asked for before is ignored.';

alter table outlets enable row level security;
alter table outlets force row level security;
create policy outlets__tenant on outlets using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy outlets__platform on outlets for select to lango_platform using (true);

grant select, insert, update on tenants to lango_app;
grant select, insert, update on outlets to lango_app;
grant select on tenants, outlets to lango_platform;

-- Tells every process, at the commit, that what it holds of a tenant is no longer so.
create function tell_tenant_changed()
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
create trigger tenants__made after insert on tenants for each row execute function tell_tenant_changed();
create trigger tenants__changed after update on tenants for each row
  when ((old.id, old.slug, old.name, old.status, old.time_zone, old.currency, old.locale)
        is distinct from (new.id, new.slug, new.name, new.status, new.time_zone, new.currency, new.locale))
  execute function tell_tenant_changed();

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
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where tenant_id = $1 limit $2))', next_table)
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
