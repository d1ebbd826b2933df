-- breaking: no
-- Which outlets a person has, and whether they are bound to none. The functions keep answering calls without the new parameters.

alter table users
  add column is_hq boolean not null default false,
  add column outlet_ids uuid[] not null default '{}',
  add column outlets_until timestamptz;
comment on column users.is_hq is 'Bound to no outlet: headquarters, admin or superuser, by the newest token or event.';
comment on column users.outlet_ids is 'Outlets assigned to the person, of any status; from tokens that list one or all of them, and from events.';
comment on column users.outlets_until is 'When the newest complete list of outlets was told; an older token changes nothing of it. Null: no complete list was seen.';

drop trigger users__changed on users;
create trigger users__changed after update on users for each row
  when ((old.tenant_id, old.email, old.name, old.status, old.global_roles, old.first_role, old.is_hq, old.outlet_ids, old.outlets_until)
        is distinct from (new.tenant_id, new.email, new.name, new.status, new.global_roles, new.first_role, new.is_hq,
                          new.outlet_ids, new.outlets_until))
  execute function tell_user_changed();

-- Which outlets a person of the tenant has: those assigned, of any status, and those that count: the active ones, in a tenant with
-- one active outlet that outlet. in_tenant counts the active outlets of the tenant, up to 2.
create function outlets_of(p_tenant_id uuid, p_assigned uuid[], p_until timestamptz)
returns jsonb
language sql stable
set search_path = public, pg_temp
as $$
  with active as (
    select id from outlets where tenant_id = p_tenant_id and status = 'active'
  ), counted as (
    select count(*)::integer as in_tenant from (select from active limit 2) as first
  )
  select jsonb_build_object(
    'assigned', to_jsonb(p_assigned),
    'active', coalesce((select jsonb_agg(id order by id) from active where id = any (p_assigned) or in_tenant = 1), '[]'),
    'in_tenant', in_tenant,
    'until', p_until)
    from counted
$$;

drop function know_user(uuid, uuid, text, text, text, text[], text, timestamptz, timestamptz);
-- Meets a person: makes or brings up to date the local user, gives the first role where nobody assigned another, and
-- tells what the person holds. A person who is known and unchanged is only read. Outlets: p_outlet_ids are all of the person's as a
-- token lists them (an empty list of somebody with more than 50 lists none of them); p_outlet_id is one of them, selected. They
-- count unless a newer list was seen.
create function know_user(
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
       set email = excluded.email, name = excluded.name, status = excluded.status, global_roles = excluded.global_roles,
           first_role = excluded.first_role, claims_issued_at = excluded.claims_issued_at, updated_at = excluded.updated_at,
           is_hq = coalesce(p_is_hq, users.is_hq)
     where excluded.claims_issued_at >= greatest(users.claims_issued_at, users.told_until) and users.status <> 'deleted';
    select * into known from users where tenant_id = p_tenant_id and auth_service_user_id = p_subject;
  end if;
  if known.status <> 'deleted' and p_issued_at >= coalesce(known.outlets_until, '-infinity') and (
       p_outlet_id <> all (known.outlet_ids)
       or p_outlet_ids <> known.outlet_ids and not (cardinality(p_outlet_ids) = 0 and cardinality(known.outlet_ids) > 50))
  then
    update users
       set outlet_ids = coalesce(p_outlet_ids, array_remove(outlet_ids, p_outlet_id) || p_outlet_id),
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

drop function find_user(uuid, uuid, timestamptz);
-- What a known person holds; no row when the service has not met the person.
create function find_user(p_tenant_id uuid, p_subject uuid, p_now timestamptz)
returns table (user_id uuid, user_status text, issued_at timestamptz, grants jsonb, is_hq boolean, outlets jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  perform set_config('app.tenant_id', p_tenant_id::text, true), set_config('app.outlet_ids', '*', true);
  return query
    select u.id, u.status, greatest(u.claims_issued_at, u.told_until),
           case when u.status = 'active' then grants_of(u.id, p_now) else '[]'::jsonb end,
           u.is_hq, outlets_of(p_tenant_id, u.outlet_ids, u.outlets_until)
      from users u where u.tenant_id = p_tenant_id and u.auth_service_user_id = p_subject;
end
$$;

drop function hear_user(uuid, text, text, text, text[], text, integer, timestamptz, timestamptz);
-- Brings up to date a person of the tenant at hand as an event tells, with the first role that follows; nobody is made by it.
-- What is older than the newest token seen, or of a lower version, changes nothing; the outlets change unless a newer list was seen.
create function hear_user(
  p_subject uuid, p_email text, p_name text, p_status text, p_global_roles text[], p_first_role text,
  p_version integer, p_told_until timestamptz, p_now timestamptz,
  p_is_hq boolean default null, p_outlet_ids uuid[] default null
)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  known users%rowtype;
begin
  update users set outlet_ids = p_outlet_ids, outlets_until = p_told_until, updated_at = p_now
   where p_outlet_ids is not null and auth_service_user_id = p_subject
     and tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
     and version <= p_version and coalesce(outlets_until, '-infinity') <= p_told_until and status <> 'deleted';
  update users
     set email = p_email, name = p_name, status = p_status, global_roles = p_global_roles, first_role = p_first_role,
         version = p_version, told_until = greatest(told_until, p_told_until), sync_status = 'synced', updated_at = p_now,
         is_hq = coalesce(p_is_hq, is_hq)
   where auth_service_user_id = p_subject and tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
     and version <= p_version and claims_issued_at <= p_told_until and status <> 'deleted'
  returning * into known;
  if known.status = 'active' and not has_role_of_right(known.id, known.first_role, p_now) then
    perform give_first_role(known.id, p_now);
  end if;
end
$$;

-- Tells every process, at the commit, that an outlet was opened, archived or restored: which outlets the people of its tenant have
-- may be different now.
create function tell_outlets_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_notify('domain_changed', concat_ws(' ', 'outlets', new.tenant_id));
  return null;
end
$$;
create trigger outlets__made after insert on outlets for each row execute function tell_outlets_changed();
create trigger outlets__changed after update of status on outlets for each row
  when (old.status is distinct from new.status) execute function tell_outlets_changed();
