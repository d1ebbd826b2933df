-- breaking: no
-- A subscription is read in fewer steps; find_subscription is left to processes of the version before. Add-ons are retired as plans are.

-- A tenant's subscription with what belongs to the tenant alone, in one value: a new column needs no new function. Null when
-- there is none. What plans and add-ons hold is found by the ids of their versions.
create function read_subscription(p_tenant uuid) returns json
language plpgsql stable set search_path = public, pg_temp set enable_seqscan = off
as $$
declare
  v_tenant text := set_config('app.tenant_id', p_tenant::text, true);
begin
  return (
    select row_to_json(stored)
      from (
        select s as subscription,
               array(select o.add_on_version_id from subscription_add_ons o where o.tenant_id = p_tenant) as add_on_version_ids,
               (select c.now_at from test_clocks c where c.tenant_id = p_tenant) as test_now,
               (select c.time_zone from tenant_calendars c where c.tenant_id = p_tenant) as time_zone
          from subscriptions s
         where s.tenant_id = p_tenant) stored);
end $$;

-- Add-ons are made, and taken off offer, as plans are.

create table add_on_version_retirements (
  add_on_version_id uuid not null,
  retired_at timestamptz not null,
  constraint add_on_version_retirements__pkey primary key (add_on_version_id),
  constraint add_on_version_retirements__add_on_version_fkey foreign key (add_on_version_id) references add_on_versions (id)
);
comment on table add_on_version_retirements is 'Versions that are no longer on offer; who has one keeps it. An add-on is on offer in the newest version that is left';
grant select, insert on add_on_version_retirements to lango_app;
grant select on add_on_version_retirements to lango_platform;
