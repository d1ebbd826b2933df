-- breaking: no

alter table users
  add column version integer not null default 0,
  add column told_until timestamptz;
comment on column users.status is 'As the sign-on service tells it; who is not active has no effective role. removed: no longer of the tenant; deleted: erased, for ever.';
comment on column users.version is 'Of the last event that told of the person; 0: known from tokens alone. What an event of a lower version says is ignored.';
comment on column users.told_until is 'Tokens issued before this moment change nothing: an event told what holds. A little after the event, for a token may be signed from what was before.';

create index audit_log__person on audit_log (actor_id) where actor_kind = 'user' and address is not null;

create policy users__told on users to lango_lookup using (true);
create policy user_role_assignments__told on user_role_assignments to lango_lookup using (true);
create policy audit_log__told on audit_log to lango_lookup using (true);
grant select, update on users to lango_lookup;
grant select, delete on user_role_assignments to lango_lookup;
grant select on audit_log to lango_lookup;
grant update (address) on audit_log to lango_lookup;

-- Meets a person: makes or brings up to date the local user, gives the first role where nobody assigned another, and
-- tells what the person holds. A person who is known and unchanged is only read.
create or replace function know_user(
  p_tenant_id uuid, p_subject uuid, p_email text, p_name text, p_status text, p_global_roles text[],
  p_first_role text, p_issued_at timestamptz, p_now timestamptz
)
returns table (user_id uuid, user_status text, issued_at timestamptz, grants jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  known users%rowtype;
begin
  perform set_config('app.tenant_id', p_tenant_id::text, true);
  select * into known from users where tenant_id = p_tenant_id and auth_service_user_id = p_subject;
  if known.id is null or (p_issued_at >= greatest(known.claims_issued_at, known.told_until)
     and (known.email, known.name, known.status, known.global_roles, known.first_role)
         is distinct from (p_email, p_name, p_status, p_global_roles, p_first_role))
  then
    insert into users (tenant_id, auth_service_user_id, email, name, status, global_roles, first_role, claims_issued_at,
                       sync_status, created_at, updated_at)
    values (p_tenant_id, p_subject, p_email, p_name, p_status, p_global_roles, p_first_role, p_issued_at, 'jit', p_now, p_now)
    on conflict (tenant_id, auth_service_user_id) do update
       set email = excluded.email, name = excluded.name, status = excluded.status, global_roles = excluded.global_roles,
           first_role = excluded.first_role, claims_issued_at = excluded.claims_issued_at, updated_at = excluded.updated_at
     where excluded.claims_issued_at >= greatest(users.claims_issued_at, users.told_until) and users.status <> 'deleted';
    select * into known from users where tenant_id = p_tenant_id and auth_service_user_id = p_subject;
  end if;
  if known.status = 'active' and not has_role_of_right(known.id, known.first_role, p_now) then
    perform give_first_role(known.id, p_now);
  end if;
  return query select known.id, known.status, greatest(known.claims_issued_at, known.told_until),
    case when known.status = 'active' then grants_of(known.id, p_now) else '[]'::jsonb end;
end
$$;

-- What a known person holds; no row when the service has not met the person.
create or replace function find_user(p_tenant_id uuid, p_subject uuid, p_now timestamptz)
returns table (user_id uuid, user_status text, issued_at timestamptz, grants jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
begin
  perform set_config('app.tenant_id', p_tenant_id::text, true);
  return query
    select u.id, u.status, greatest(u.claims_issued_at, u.told_until),
           case when u.status = 'active' then grants_of(u.id, p_now) else '[]'::jsonb end
      from users u where u.tenant_id = p_tenant_id and u.auth_service_user_id = p_subject;
end
$$;

-- Brings up to date a person of the tenant at hand as an event tells, with the first role that follows; nobody is made by it.
-- What is older than the newest token seen, or of a lower version, changes nothing.
create function hear_user(
  p_subject uuid, p_email text, p_name text, p_status text, p_global_roles text[], p_first_role text,
  p_version integer, p_told_until timestamptz, p_now timestamptz
)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  known users%rowtype;
begin
  update users
     set email = p_email, name = p_name, status = p_status, global_roles = p_global_roles, first_role = p_first_role,
         version = p_version, told_until = greatest(told_until, p_told_until), sync_status = 'synced', updated_at = p_now
   where auth_service_user_id = p_subject and tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
     and version <= p_version and claims_issued_at <= p_told_until and status <> 'deleted'
  returning * into known;
  if known.status = 'active' and not has_role_of_right(known.id, known.first_role, p_now) then
    perform give_first_role(known.id, p_now);
  end if;
end
$$;

-- Shuts a person out in every tenant, as an event of no tenant tells. Runs as the look-up role.
create function disable_user(p_subject uuid, p_version integer, p_told_until timestamptz, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update users
     set status = 'disabled', version = p_version, told_until = greatest(told_until, p_told_until),
         sync_status = 'synced', updated_at = p_now
   where auth_service_user_id = p_subject and version <= p_version and claims_issued_at <= p_told_until and status <> 'deleted'
$$;

-- Removes what is personal of a person from every tenant; the row stays, empty, for what refers to it and so that no
-- token brings the person back. Runs as the look-up role.
create function erase_user(p_subject uuid, p_version integer, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  delete from user_role_assignments a using users u where u.id = a.user_id and u.auth_service_user_id = p_subject;
  update audit_log set address = null where actor_kind = 'user' and actor_id = p_subject::text and address is not null;
  update users
     set email = '', name = '', status = 'deleted', global_roles = '{}', version = greatest(version, p_version),
         sync_status = 'synced', updated_at = p_now
   where auth_service_user_id = p_subject and status <> 'deleted'
$$;

alter function disable_user(uuid, integer, timestamptz, timestamptz) owner to lango_lookup;
alter function erase_user(uuid, integer, timestamptz) owner to lango_lookup;
revoke execute on function disable_user(uuid, integer, timestamptz, timestamptz), erase_user(uuid, integer, timestamptz) from public;
grant execute on function disable_user(uuid, integer, timestamptz, timestamptz), erase_user(uuid, integer, timestamptz) to lango_app;

-- Tells every process, at the commit, that what it holds of a person is no longer so.
create function tell_user_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_notify('domain_changed', concat_ws(' ', 'person', new.tenant_id, new.auth_service_user_id));
  return null;
end
$$;
create trigger users__changed after update on users for each row
  when ((old.tenant_id, old.email, old.name, old.status, old.global_roles, old.first_role)
        is distinct from (new.tenant_id, new.email, new.name, new.status, new.global_roles, new.first_role))
  execute function tell_user_changed();

-- The same of roles that somebody assigned or took back; the first role follows from the person.
create function tell_assignment_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
declare
  changed user_role_assignments := case when tg_op = 'DELETE' then old else new end;
begin
  perform pg_notify('domain_changed', concat_ws(' ', 'person', u.tenant_id, u.auth_service_user_id))
     from users u where u.id = changed.user_id;
  return null;
end
$$;
create trigger user_role_assignments__made after insert on user_role_assignments for each row
  when (new.assigned_by is not null) execute function tell_assignment_changed();
create trigger user_role_assignments__changed after update on user_role_assignments for each row
  when (old.assigned_by is not null or new.assigned_by is not null) execute function tell_assignment_changed();
create trigger user_role_assignments__removed after delete on user_role_assignments for each row
  when (old.assigned_by is not null) execute function tell_assignment_changed();
