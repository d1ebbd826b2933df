-- breaking: no
-- Who may no longer sign in rides no more, in any tenant.

-- Keeps a person from riding in every fleet, where they are counted no more; returns where they were active.
-- Runs as the look-up role: the event names no tenant.
create function suspend_rider(p_subject uuid, p_now timestamptz)
returns table (tenant_id uuid)
language sql security definer
set search_path = public, pg_temp
as $$
  with before as (
    select id, tenant_id, status from riders
     where auth_service_user_id = p_subject and status in ('pending', 'active') for update
  ), suspended as (
    update riders r set status = 'suspended', changed_at = p_now from before where r.id = before.id
  ), rode as (
    update fleets f set riders = f.riders - 1 from before where before.tenant_id = f.tenant_id and before.status = 'active'
    returning f.tenant_id
  )
  insert into rider_reports (tenant_id, change, counted_at) select tenant_id, -1, p_now from rode returning tenant_id
$$;
alter function suspend_rider(uuid, timestamptz) owner to lango_lookup;
revoke execute on function suspend_rider(uuid, timestamptz) from public;
grant execute on function suspend_rider(uuid, timestamptz) to lango_app;
