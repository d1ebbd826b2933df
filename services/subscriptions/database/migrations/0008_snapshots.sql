-- breaking: no
-- Snapshots are kept in memory: what is stored of a subscription is found in one statement, and every process is told of changes.

-- A tenant's subscription with what belongs to the tenant alone; what plans and add-ons hold is found by the ids of their versions.
create function find_subscription(p_tenant uuid)
returns table (subscription subscriptions, add_on_version_ids uuid[], test_now timestamptz, time_zone text)
language plpgsql stable set search_path = public, pg_temp
as $$
begin
  perform set_config('app.tenant_id', p_tenant::text, true);
  return query
    select s,
           array(select o.add_on_version_id from subscription_add_ons o where o.tenant_id = p_tenant),
           (select c.now_at from test_clocks c where c.tenant_id = p_tenant),
           (select c.time_zone from tenant_calendars c where c.tenant_id = p_tenant)
      from subscriptions s
     where s.tenant_id = p_tenant;
end $$;

-- Tells every process, at the commit, that what it holds of a tenant is no longer so.
create function tell_tenant_changed() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  perform pg_notify('subscription_changed', case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end::text);
  return null;
end $$;
create trigger subscriptions__told after insert or update or delete on subscriptions for each row execute function tell_tenant_changed();
create trigger subscription_add_ons__told after insert or update or delete on subscription_add_ons
  for each row execute function tell_tenant_changed();
create trigger test_clocks__told after insert or update or delete on test_clocks for each row execute function tell_tenant_changed();
create trigger tenant_calendars__told after insert or update or delete on tenant_calendars
  for each row execute function tell_tenant_changed();

-- The same of what plans and add-ons hold, for all tenants. Published versions are never changed; bundles are.
create function tell_catalogue_changed() returns trigger
language plpgsql set search_path = public, pg_temp
as $$
begin
  perform pg_notify('subscription_changed', '*');
  return null;
end $$;
create trigger bundles__told after update on bundles for each row execute function tell_catalogue_changed();
