-- breaking: no
-- The fleet: who rides, and how many.

create table riders (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint riders__tenant_fkey references tenants (id) on update cascade,
  auth_service_user_id uuid not null,
  name text not null,
  email text not null,
  status text not null constraint riders__status_check check (status in ('pending', 'active', 'suspended', 'erased')),
  created_at timestamptz not null,
  changed_at timestamptz not null,
  constraint riders__person_unique unique (tenant_id, auth_service_user_id),
  constraint riders__pkey primary key (tenant_id, id)
);
create index riders__person on riders (auth_service_user_id);
comment on table riders is 'People of the fleet, linked by an event of the sign-on service (spec §6) or added by an administrator.';
comment on column riders.status is 'pending until an administrator approves; only who is active is counted. erased: nothing personal is kept, for ever.';

create table fleets (
  tenant_id uuid not null constraint fleets__pkey primary key constraint fleets__tenant_fkey references tenants (id) on update cascade,
  riders integer not null constraint fleets__riders_check check (riders >= 0)
);
comment on table fleets is 'How many riders of a tenant are active: what max_riders bounds.';

create table rider_reports (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint rider_reports__tenant_fkey references tenants (id) on update cascade,
  change integer not null,
  counted_at timestamptz not null,
  constraint rider_reports__pkey primary key (tenant_id, id)
);
create index rider_reports__oldest on rider_reports (tenant_id, counted_at);
comment on table rider_reports is 'Changes of a fleet''s number that are not reported to the subscription service yet; removed once they are.';

alter table riders enable row level security;
alter table riders force row level security;
create policy riders__tenant on riders using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy riders__platform on riders for select to lango_platform using (true);
create policy riders__lookup on riders to lango_lookup using (true);

alter table fleets enable row level security;
alter table fleets force row level security;
create policy fleets__tenant on fleets using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy fleets__platform on fleets for select to lango_platform using (true);
create policy fleets__lookup on fleets to lango_lookup using (true);

alter table rider_reports enable row level security;
alter table rider_reports force row level security;
create policy rider_reports__tenant on rider_reports
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy rider_reports__platform on rider_reports for select to lango_platform using (true);
create policy rider_reports__lookup on rider_reports to lango_lookup using (true);

grant select, insert, update on riders, fleets to lango_app;
grant select, insert, delete on rider_reports to lango_app;
grant select on riders, fleets, rider_reports to lango_platform;
grant select, update on riders, fleets to lango_lookup;
grant select, insert on rider_reports to lango_lookup;

-- Suspends or erases (p_status) a person in one fleet, where they are counted no more. Returns whether they were active in it.
create function end_riding(p_tenant_id uuid, p_subject uuid, p_status text, p_now timestamptz)
returns boolean
language plpgsql
set search_path = public, pg_temp
as $$
declare
  status_before text;
begin
  select r.status into status_before from riders r
   where r.tenant_id = p_tenant_id and r.auth_service_user_id = p_subject
     and (r.status in ('pending', 'active') or r.status = 'suspended' and p_status = 'erased')
     for update;
  if not found then
    return false;
  end if;
  update riders r set status = p_status, changed_at = p_now
   where r.tenant_id = p_tenant_id and r.auth_service_user_id = p_subject;
  if p_status = 'erased' then
    update riders r set name = '', email = '' where r.tenant_id = p_tenant_id and r.auth_service_user_id = p_subject;
  end if;
  if status_before = 'active' then
    update fleets f set riders = f.riders - 1 where f.tenant_id = p_tenant_id;
    insert into rider_reports (tenant_id, change, counted_at) values (p_tenant_id, -1, p_now);
  end if;
  return status_before = 'active';
end
$$;

-- Suspends or erases (p_status) a person in the fleets of all tenants; returns those in which they were active. Runs as the look-up role:
-- the event names no tenant. The tenants come in the order of their ids, so that two events of a person cannot deadlock.
create function end_riding_everywhere(p_subject uuid, p_status text, p_now timestamptz)
returns table (tenant_id uuid)
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  for tenant_id in select r.tenant_id from riders r where r.auth_service_user_id = p_subject order by r.tenant_id loop
    if end_riding(tenant_id, p_subject, p_status, p_now) then
      return next;
    end if;
  end loop;
end
$$;
alter function end_riding_everywhere(uuid, text, timestamptz) owner to lango_lookup;
revoke execute on function end_riding_everywhere(uuid, text, timestamptz) from public;
grant execute on function end_riding_everywhere(uuid, text, timestamptz) to lango_app;

-- Before two ids of the tenant are merged (decision 0045): who was erased under one id is erased under both, and the fleet is counted
-- again. The difference to what was reported of the new id is reported to the subscription service.
create function prepare_merge(p_from uuid, p_to uuid)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  riding integer;
  difference integer;
begin
  update riders r set name = '', email = '', status = 'erased' from riders twin
   where r.tenant_id in (p_from, p_to) and twin.tenant_id in (p_from, p_to) and twin.tenant_id <> r.tenant_id
     and twin.auth_service_user_id = r.auth_service_user_id and twin.status = 'erased' and r.status <> 'erased';
  -- Of two rows of a person the one changed later stays, that of the new id when neither was.
  select count(*) into riding from (
    select distinct on (auth_service_user_id) status from riders where tenant_id in (p_from, p_to)
     order by auth_service_user_id, changed_at desc, (tenant_id = p_to) desc) stays
   where status = 'active';
  difference := riding - coalesce((select f.riders from fleets f where f.tenant_id = p_to), 0)
              - coalesce((select sum(change) from rider_reports where tenant_id = p_from), 0);
  delete from fleets where tenant_id = p_from;
  insert into fleets (tenant_id, riders) values (p_to, riding)
  on conflict on constraint fleets__pkey do update set riders = excluded.riders;
  if difference <> 0 then
    insert into rider_reports (tenant_id, change, counted_at) values (p_to, difference, now());
  end if;
end
$$;
revoke execute on function prepare_merge(uuid, uuid) from public;

-- A fleet that came under another id: of that one nothing was reported to the subscription service yet. What is still to be reported is
-- reported under it anyway.
create function report_fleet_again()
returns trigger
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  insert into rider_reports (tenant_id, change, counted_at)
  select new.tenant_id, missing, now()
    from (select new.riders - coalesce(sum(change), 0) as missing from rider_reports where tenant_id in (old.tenant_id, new.tenant_id)) reported
   where missing <> 0;
  return null;
end
$$;
alter function report_fleet_again() owner to lango_lookup;
revoke execute on function report_fleet_again() from public;
create trigger fleets__repointed after update of tenant_id on fleets for each row execute function report_fleet_again();
