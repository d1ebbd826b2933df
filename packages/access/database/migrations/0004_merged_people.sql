-- breaking: no

-- After two ids of one tenant became one (repoint_tenant): people whose rows were merged may have an assigned role from one
-- side and the first role from the other. The assigned one holds, as always. Every process drops what it holds of them.
create function settle_merged_people(p_tenant_id uuid)
returns void
language sql
set search_path = public, pg_temp
as $$
  delete from user_role_assignments first
   where first.tenant_id = p_tenant_id and first.assigned_by is null and exists (
     select from user_role_assignments a where a.user_id = first.user_id and a.assigned_by is not null and a.outlet_id is null);
  select pg_notify('domain_changed', concat_ws(' ', 'person', tenant_id, auth_service_user_id)) from users where tenant_id = p_tenant_id;
$$;
