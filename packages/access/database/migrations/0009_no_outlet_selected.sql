-- breaking: no

-- As before, but a token that selects no outlet adds none: of an empty list it added null.
create or replace function know_user(
  p_tenant_id uuid, p_subject uuid, p_email text, p_name text, p_status text, p_global_roles text[],
  p_first_role text, p_issued_at timestamptz, p_now timestamptz,
  p_is_hq boolean default null, p_outlet_ids uuid[] default null, p_outlet_id uuid default null
)
returns table (user_id uuid, user_status text, issued_at timestamptz, grants jsonb, is_hq boolean, outlets jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  known users%rowtype;
begin
  perform set_config('app.tenant_id', p_tenant_id::text, true), set_config('app.outlet_ids', '*', true);
  select * into known from users where tenant_id = p_tenant_id and auth_service_user_id = p_subject;
  p_email := coalesce(nullif(p_email, ''), known.email, '');
  p_name := coalesce(nullif(p_name, ''), known.name, '');
  if known.id is null or (p_issued_at >= greatest(known.claims_issued_at, known.told_until)
     and (known.email, known.name, known.status, known.global_roles, known.first_role, known.is_hq)
         is distinct from (p_email, p_name, p_status, p_global_roles, p_first_role, coalesce(p_is_hq, known.is_hq)))
  then
    insert into users (tenant_id, auth_service_user_id, email, name, status, global_roles, first_role, claims_issued_at,
                       sync_status, created_at, updated_at, is_hq, outlet_ids, outlets_until)
    values (p_tenant_id, p_subject, p_email, p_name, p_status, p_global_roles, p_first_role, p_issued_at, 'jit', p_now, p_now,
            coalesce(p_is_hq, false), coalesce(p_outlet_ids, array_remove(array[p_outlet_id], null)),
            case when p_outlet_ids is not null then p_issued_at end)
    on conflict (tenant_id, auth_service_user_id) do update
       set email = coalesce(nullif(excluded.email, ''), users.email), name = coalesce(nullif(excluded.name, ''), users.name),
           status = excluded.status, global_roles = excluded.global_roles,
           first_role = excluded.first_role, claims_issued_at = excluded.claims_issued_at, updated_at = excluded.updated_at,
           is_hq = coalesce(p_is_hq, users.is_hq)
     where excluded.claims_issued_at >= greatest(users.claims_issued_at, users.told_until) and users.status <> 'deleted';
    select * into known from users where tenant_id = p_tenant_id and auth_service_user_id = p_subject;
  end if;
  if known.status <> 'deleted' and p_issued_at >= coalesce(known.outlets_until, '-infinity') and (
       p_outlet_id is not null and not coalesce(p_outlet_id = any (known.outlet_ids), false)
       or p_outlet_ids <> known.outlet_ids and not (cardinality(p_outlet_ids) = 0 and cardinality(known.outlet_ids) > 50))
  then
    update users
       set outlet_ids = coalesce(p_outlet_ids, array_remove(array_remove(outlet_ids, p_outlet_id), null) || p_outlet_id),
           outlets_until = case when p_outlet_ids is null then outlets_until else p_issued_at end, updated_at = p_now
     where id = known.id and p_issued_at >= coalesce(outlets_until, '-infinity');
    select * into known from users where id = known.id;
  end if;
  if known.status = 'active' and not has_role_of_right(known.id, known.first_role, p_now) then
    perform give_first_role(known.id, p_now);
  end if;
  return query select known.id, known.status, greatest(known.claims_issued_at, known.told_until),
    case when known.status = 'active' then grants_of(known.id, p_now) else '[]'::jsonb end,
    known.is_hq, outlets_of(p_tenant_id, known.outlet_ids, known.outlets_until);
end
$$;
