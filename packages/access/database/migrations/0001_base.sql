-- breaking: no
-- Roles and permissions of one service, the people it has met, keys for programs, and the record of what was changed.

create table permissions (
  id integer generated always as identity constraint permissions__pkey primary key,
  permission_code text not null constraint permissions__code_unique unique,
  module text not null,
  action text not null
    constraint permissions__action_check
    check (action in ('add', 'view', 'view_own', 'change', 'change_own', 'delete', 'delete_own', 'manage', 'manage_own')),
  resource text not null,
  description text not null
);
comment on table permissions is 'What may be granted in this service (spec §2.4); declared in its code and written at every start.';
comment on column permissions.permission_code is '{service}.{module}.{action}';

-- Before the roles: two ids of one tenant are merged table by table, and an assignment refers to both.
create table users (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint users__tenant_fkey references tenants (id) on update cascade,
  auth_service_user_id uuid not null,
  email text not null,
  name text not null,
  status text not null,
  global_roles text[] not null,
  first_role text not null,
  claims_issued_at timestamptz not null,
  sync_status text not null constraint users__sync_status_check check (sync_status in ('jit', 'synced', 'stale')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 0,
  ignore_tokens_before timestamptz,
  access_version integer not null default 0,
  is_hq boolean not null default false,
  outlet_ids uuid[] not null default '{}',
  outlets_until timestamptz,
  constraint users__person_unique unique (tenant_id, auth_service_user_id),
  constraint users__pkey primary key (tenant_id, id)
);
create index users__tenant_email on users (tenant_id, email, id);
comment on table users is 'People as this service has met them, one row a tenant (spec §2.4, §5.11).';
comment on column users.auth_service_user_id is 'The person''s id at the sign-on service: `sub` of the token.';
comment on column users.status is 'As published by the sign-on service; a person who is not active has no effective role. removed: no longer of the tenant; deleted: erased, for ever.';
comment on column users.first_role is 'The role that the person''s global roles map to; assigned until another role is assigned by hand.';
comment on column users.claims_issued_at is 'When the newest token seen was issued: an older one changes nothing.';
comment on column users.sync_status is 'jit: made from a token; synced: from an event; stale: known to be out of date.';
comment on column users.version is 'Of the last event about the person; 0: known from tokens alone. What an event of a lower version says is ignored.';
comment on column users.ignore_tokens_before is 'Tokens issued before this moment change nothing, because an event was newer. A little after the event, for a token may be signed from what was before.';
comment on column users.access_version is 'Counts the changes of what is assigned to the person; its events carry it.';
comment on column users.is_hq is 'Bound to no outlet: headquarters, admin or superuser, by the newest token or event.';
comment on column users.outlet_ids is 'Outlets assigned to the person, of any status; from tokens that list one or all of them, and from events.';
comment on column users.outlets_until is 'When the newest complete list of outlets was received; an older token changes nothing of it. Null: no complete list was seen.';

create table system_roles (
  id uuid not null default gen_random_uuid() constraint system_roles__pkey primary key,
  role_code text not null constraint system_roles__code_unique unique,
  created_at timestamptz not null default now()
);
comment on table system_roles is 'Roles that every tenant has (spec §2.4): one row for all tenants, so a new release changes it for all of them at once.';

create table system_role_permissions (
  role_id uuid not null constraint system_role_permissions__role_fkey references system_roles (id),
  permission_id integer not null constraint system_role_permissions__permission_fkey references permissions (id),
  constraint system_role_permissions__pkey primary key (role_id, permission_id)
);
comment on table system_role_permissions is 'What a system role grants; wildcards were expanded when it was written.';

create table roles (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null constraint roles__tenant_fkey references tenants (id) on update cascade,
  role_code text not null,
  created_at timestamptz not null default now(),
  description text not null default '',
  version integer not null default 1,
  constraint roles__code_unique unique (tenant_id, role_code),
  constraint roles__pkey primary key (tenant_id, id)
);
comment on table roles is 'A tenant''s own roles (spec §2.4).';
comment on column roles.version is 'Counts the changes of the role; its events carry it.';

create table role_permissions (
  tenant_id uuid not null,
  role_id uuid not null,
  permission_id integer not null constraint role_permissions__permission_fkey references permissions (id),
  constraint role_permissions__role_fkey
    foreign key (tenant_id, role_id) references roles (tenant_id, id) on update cascade on delete cascade deferrable,
  constraint role_permissions__pkey primary key (tenant_id, role_id, permission_id)
);
comment on table role_permissions is 'What a tenant''s own role grants; wildcards were expanded when it was written.';

create table user_role_assignments (
  id uuid not null default gen_random_uuid(),
  tenant_id uuid not null,
  user_id uuid not null,
  role_id uuid,
  system_role_id uuid constraint user_role_assignments__system_role_fkey references system_roles (id),
  outlet_id uuid,
  assigned_by text,
  assigned_at timestamptz not null,
  expires_at timestamptz,
  constraint user_role_assignments__user_fkey
    foreign key (tenant_id, user_id) references users (tenant_id, id) on update cascade on delete cascade deferrable,
  constraint user_role_assignments__role_fkey
    foreign key (tenant_id, role_id) references roles (tenant_id, id) on update cascade deferrable,
  constraint user_role_assignments__one_role check (num_nonnulls(role_id, system_role_id) = 1),
  constraint user_role_assignments__unique unique nulls not distinct (tenant_id, user_id, role_id, system_role_id, outlet_id),
  constraint user_role_assignments__pkey primary key (tenant_id, id)
);
create index user_role_assignments__role on user_role_assignments (tenant_id, role_id);
create index user_role_assignments__system_role on user_role_assignments (tenant_id, system_role_id);
comment on table user_role_assignments is 'The roles of each person (spec §2.4).';
comment on column user_role_assignments.role_id is 'A role of the tenant''s own; else system_role_id says which role.';
comment on column user_role_assignments.outlet_id is 'Null: in the whole tenant; else only in requests that name this outlet.';
comment on column user_role_assignments.assigned_by is 'The caller that assigned it; null: the first role, given just in time.';

create table api_keys (
  id text not null,
  secret_hash bytea not null,
  tenant_id uuid not null constraint api_keys__tenant_fkey references tenants (id) on update cascade,
  name text not null,
  permissions text[] not null,
  created_by text,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  creator_id uuid,
  last_used_at timestamptz,
  outlet_ids uuid[],
  constraint api_keys__pkey primary key (tenant_id, id)
);
create index api_keys__id on api_keys (id);
comment on table api_keys is 'Keys of programs that call this service for one tenant (spec §5.6).';
comment on column api_keys.secret_hash is 'SHA-256 of the secret; the secret itself is shown once and kept nowhere.';
comment on column api_keys.creator_id is 'The person whose present rights and outlets limit the key, by their id at the sign-on service. Null: no person limits it, because a visiting platform owner created it.';
comment on column api_keys.last_used_at is 'When it was last accepted, to the minute; null: not since this is recorded.';
comment on column api_keys.outlet_ids is 'The outlets whose rows the key sees and changes, as far as its creator has them; null: every one.';
comment on index api_keys__id is 'A key is looked up before its tenant is known. Not unique, as a rule over all tenants would be; ids are random.';

create table platform_api_keys (
  id text constraint platform_api_keys__pkey primary key,
  secret_hash bytea not null,
  name text not null,
  permissions text[] not null,
  created_by text,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  creator_id uuid,
  last_used_at timestamptz
);
comment on table platform_api_keys is 'Keys that are good for all tenants and for every outlet; only the platform has such keys. The columns are those of api_keys.';

create sequence audit_log_numbers;
comment on sequence audit_log_numbers is 'Numbers the entries of both audit logs, so that a list of both has one order.';

create table audit_log (
  id bigint not null default nextval('audit_log_numbers'),
  tenant_id uuid not null constraint audit_log__tenant_fkey references tenants (id) on update cascade,
  occurred_at timestamptz not null,
  actor_kind text not null constraint audit_log__actor_check check (actor_kind in ('user', 'client', 'key', 'system')),
  actor_id text not null,
  action text not null,
  subject text not null,
  detail jsonb not null,
  request_id text,
  address text,
  constraint audit_log__pkey primary key (tenant_id, id)
);
create index audit_log__person on audit_log (actor_id) where actor_kind = 'user' and address is not null;
create index audit_log__tenant_time on audit_log (tenant_id, occurred_at desc, id desc);
create index audit_log__time on audit_log (occurred_at desc, id desc);
create index audit_log__tenant_actor on audit_log (tenant_id, actor_id, occurred_at desc, id desc);
comment on table audit_log is 'Every change of access or configuration, and every pass by a special right; rows are only added.';
comment on column audit_log.subject is 'What it was done to: the route that was passed into, the key of the setting, the person.';
comment on column audit_log.detail is 'What was before and after, or what was passed.';
comment on column audit_log.address is 'Where the request came from.';

create table platform_audit_log (
  id bigint not null default nextval('audit_log_numbers') constraint platform_audit_log__pkey primary key,
  occurred_at timestamptz not null,
  actor_kind text not null constraint platform_audit_log__actor_check check (actor_kind in ('user', 'client', 'key', 'system')),
  actor_id text not null,
  action text not null,
  subject text not null,
  detail jsonb not null,
  request_id text,
  address text
);
create index platform_audit_log__person on platform_audit_log (actor_id) where actor_kind = 'user' and address is not null;
create index platform_audit_log__time on platform_audit_log (occurred_at desc, id desc);
comment on table platform_audit_log is 'The audit log of the platform itself. The columns are those of audit_log.';

-- Every table with a tenant shows the rows of the current tenant and no other's.
alter table roles enable row level security;
alter table roles force row level security;
create policy roles__tenant on roles using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy roles__platform on roles for select to lango_platform using (true);

alter table role_permissions enable row level security;
alter table role_permissions force row level security;
create policy role_permissions__tenant on role_permissions
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy role_permissions__platform on role_permissions for select to lango_platform using (true);

alter table users enable row level security;
alter table users force row level security;
create policy users__tenant on users using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy users__platform on users for select to lango_platform using (true);
create policy users__lookup on users to lango_lookup using (true);

alter table user_role_assignments enable row level security;
alter table user_role_assignments force row level security;
create policy user_role_assignments__tenant on user_role_assignments
  using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy user_role_assignments__platform on user_role_assignments for select to lango_platform using (true);
create policy user_role_assignments__lookup on user_role_assignments to lango_lookup using (true);

alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy api_keys__tenant on api_keys using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy api_keys__platform on api_keys for select to lango_platform using (true);
create policy api_keys__lookup on api_keys for select to lango_lookup using (true);
-- The key of the platform is looked up with its tenant.
grant select (id, slug) on tenants to lango_lookup;
create policy api_keys__used on api_keys for update to lango_lookup using (true);

-- A list of keys or entries reads the platform's, too: it shows them to the platform's owner.
alter table platform_api_keys enable row level security;
alter table platform_api_keys force row level security;
create policy platform_api_keys__platform on platform_api_keys for select to lango_platform using (true);
create policy platform_api_keys__lookup on platform_api_keys to lango_lookup using (true);

alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy audit_log__tenant on audit_log using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
create policy audit_log__platform on audit_log for select to lango_platform using (true);
create policy audit_log__lookup on audit_log to lango_lookup using (true);

alter table platform_audit_log enable row level security;
alter table platform_audit_log force row level security;
create policy platform_audit_log__added on platform_audit_log for insert to lango_app
  with check (nullif(current_setting('app.tenant_id', true), '') is null);
create policy platform_audit_log__platform on platform_audit_log for select to lango_platform using (true);
create policy platform_audit_log__lookup on platform_audit_log to lango_lookup using (true);

grant select on permissions, system_roles, system_role_permissions, platform_api_keys, roles, role_permissions to lango_app;
grant insert, update, delete on roles, role_permissions to lango_app;
grant select, insert, update on users to lango_app;
grant select, insert, update, delete on user_role_assignments to lango_app;
grant select, insert, update on api_keys to lango_app;
grant select, insert on audit_log, platform_audit_log to lango_app;
grant usage on sequence audit_log_numbers to lango_app;
grant select on permissions, system_roles, system_role_permissions, platform_api_keys, platform_audit_log, roles, role_permissions,
  users, user_role_assignments, api_keys, audit_log to lango_platform;
grant select, insert, update on permissions to lango_lookup;
-- On a cluster a conflict is a question of updating, too.
grant select, insert, update on system_roles to lango_lookup;
grant select, insert, update, delete on system_role_permissions to lango_lookup;
grant select, update on api_keys to lango_lookup;
grant select, insert, update on platform_api_keys to lango_lookup;
grant select, update on users to lango_lookup;
grant select, delete on user_role_assignments to lango_lookup;
grant select on audit_log, platform_audit_log to lango_lookup;
grant update (address) on audit_log, platform_audit_log to lango_lookup;

-- What a person holds now: each assignment in force with what its role grants, the strongest first.
create function grants_of(p_tenant uuid, p_user_id uuid, p_now timestamptz)
returns jsonb
language plpgsql stable
set search_path = public, pg_temp
as $$
begin
  return (
    select coalesce(jsonb_agg(held.line order by jsonb_array_length(held.line -> 'permissions') desc, held.line ->> 'role'), '[]')
      from (
        select jsonb_build_object(
                 'role', coalesce(r.role_code, s.role_code),
                 'outlet_id', a.outlet_id,
                 'expires_at', a.expires_at,
                 'permissions', coalesce(
                   (select jsonb_agg(p.permission_code order by p.permission_code)
                      from permissions p
                     where exists (select from role_permissions rp
                                    where rp.tenant_id = p_tenant and rp.role_id = a.role_id and rp.permission_id = p.id)
                        or exists (select from system_role_permissions sp
                                    where sp.role_id = a.system_role_id and sp.permission_id = p.id)), '[]')) as line
          from user_role_assignments a
          left join roles r on r.tenant_id = p_tenant and r.id = a.role_id
          left join system_roles s on s.id = a.system_role_id
         where a.tenant_id = p_tenant and a.user_id = p_user_id and (a.expires_at is null or a.expires_at > p_now)
      ) held);
end
$$;

-- Which outlets a person of the tenant has: those assigned, of any status, and those that count: the active ones, in a tenant with
-- one active outlet that outlet. in_tenant counts the active outlets of the tenant, up to 2.
create function outlets_of(p_tenant uuid, p_assigned uuid[], p_until timestamptz)
returns jsonb
language plpgsql stable
set search_path = public, pg_temp
as $$
begin
  return (
    with active as (
      select id from outlets where tenant_id = p_tenant and status = 'active'
    ), counted as (
      select count(*)::integer as in_tenant from (select from active limit 2) as first
    )
    select jsonb_build_object(
      'assigned', to_jsonb(p_assigned),
      'active', coalesce((select jsonb_agg(id order by id) from active where id = any (p_assigned) or in_tenant = 1), '[]'),
      'in_tenant', in_tenant,
      'until', p_until)
      from counted);
end
$$;

-- Meets a person: makes or brings up to date the local user, gives the first role where no other was assigned, and
-- returns what the person holds. A person who is known and unchanged is only read. Outlets: p_outlet_ids are all of the person's as a
-- token lists them (an empty list of somebody with more than 50 lists none of them); p_outlet_id is one of them, selected. They
-- count unless a newer list was seen.
create function know_user(
  p_tenant uuid, p_subject uuid, p_email text, p_name text, p_status text, p_global_roles text[],
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
  perform set_config('app.tenant_id', p_tenant::text, true), set_config('app.outlet_ids', '*', true);
  select * into known from users where tenant_id = p_tenant and auth_service_user_id = p_subject;
  p_email := coalesce(nullif(p_email, ''), known.email, '');
  p_name := coalesce(nullif(p_name, ''), known.name, '');
  if known.id is null or (p_issued_at >= greatest(known.claims_issued_at, known.ignore_tokens_before)
     and (known.email, known.name, known.status, known.global_roles, known.first_role, known.is_hq)
         is distinct from (p_email, p_name, p_status, p_global_roles, p_first_role, coalesce(p_is_hq, known.is_hq)))
  then
    insert into users (tenant_id, auth_service_user_id, email, name, status, global_roles, first_role, claims_issued_at,
                       sync_status, created_at, updated_at, is_hq, outlet_ids, outlets_until)
    values (p_tenant, p_subject, p_email, p_name, p_status, p_global_roles, p_first_role, p_issued_at, 'jit', p_now, p_now,
            coalesce(p_is_hq, false), coalesce(p_outlet_ids, array_remove(array[p_outlet_id], null)),
            case when p_outlet_ids is not null then p_issued_at end)
    on conflict (tenant_id, auth_service_user_id) do update
       set email = coalesce(nullif(excluded.email, ''), users.email), name = coalesce(nullif(excluded.name, ''), users.name),
           status = excluded.status, global_roles = excluded.global_roles,
           first_role = excluded.first_role, claims_issued_at = excluded.claims_issued_at, updated_at = excluded.updated_at,
           is_hq = coalesce(p_is_hq, users.is_hq)
     where excluded.claims_issued_at >= greatest(users.claims_issued_at, users.ignore_tokens_before) and users.status <> 'deleted';
    select * into known from users where tenant_id = p_tenant and auth_service_user_id = p_subject;
  end if;
  if known.status <> 'deleted' and p_issued_at >= coalesce(known.outlets_until, '-infinity') and (
       p_outlet_id is not null and not coalesce(p_outlet_id = any (known.outlet_ids), false)
       or p_outlet_ids <> known.outlet_ids and not (cardinality(p_outlet_ids) = 0 and cardinality(known.outlet_ids) > 50))
  then
    update users
       set outlet_ids = coalesce(p_outlet_ids, array_remove(array_remove(outlet_ids, p_outlet_id), null) || p_outlet_id),
           outlets_until = case when p_outlet_ids is null then outlets_until else p_issued_at end, updated_at = p_now
     where tenant_id = p_tenant and id = known.id and p_issued_at >= coalesce(outlets_until, '-infinity');
    select * into known from users where tenant_id = p_tenant and id = known.id;
  end if;
  if known.status = 'active' and not has_role_of_right(p_tenant, known.id, known.first_role, p_now) then
    perform give_first_role(p_tenant, known.id, p_now);
  end if;
  return query select known.id, known.status, greatest(known.claims_issued_at, known.ignore_tokens_before),
    case when known.status = 'active' then grants_of(p_tenant, known.id, p_now) else '[]'::jsonb end,
    known.is_hq, outlets_of(p_tenant, known.outlet_ids, known.outlets_until);
end
$$;

-- Whether the person's roles are as they should be: one that somebody assigned in the whole tenant, or else the first role.
create function has_role_of_right(p_tenant uuid, p_user_id uuid, p_first_role text, p_now timestamptz)
returns boolean
language plpgsql stable
set search_path = public, pg_temp
as $$
begin
  return (
    select coalesce(
      bool_or(a.assigned_by is not null and a.outlet_id is null)
        or (bool_or(a.assigned_by is null and s.role_code = p_first_role)
            and not bool_or(a.assigned_by is null and s.role_code <> p_first_role)), false)
      from user_role_assignments a left join system_roles s on s.id = a.system_role_id
     where a.tenant_id = p_tenant and a.user_id = p_user_id and (a.expires_at is null or a.expires_at > p_now));
end
$$;

-- Gives the first role in place of an earlier one, under the person's row lock, so that requests at once do it once.
create function give_first_role(p_tenant uuid, p_user_id uuid, p_now timestamptz)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  known users%rowtype;
  first_role_id uuid;
begin
  select * into known from users where tenant_id = p_tenant and id = p_user_id for update;
  if has_role_of_right(p_tenant, known.id, known.first_role, p_now) then
    return;
  end if;
  delete from user_role_assignments where tenant_id = p_tenant and user_id = known.id and assigned_by is null;
  select id into first_role_id from system_roles where role_code = known.first_role;
  if first_role_id is not null then
    insert into user_role_assignments (tenant_id, user_id, system_role_id, assigned_at)
    values (p_tenant, known.id, first_role_id, p_now)
    on conflict on constraint user_role_assignments__unique do update
       set assigned_by = null, assigned_at = excluded.assigned_at, expires_at = null;
  end if;
end
$$;

-- What a known person holds; no row when the service has not met the person.
create function find_user(p_tenant uuid, p_subject uuid, p_now timestamptz)
returns table (user_id uuid, user_status text, issued_at timestamptz, grants jsonb, is_hq boolean, outlets jsonb)
language plpgsql
set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  known users%rowtype;
begin
  perform set_config('app.tenant_id', p_tenant::text, true), set_config('app.outlet_ids', '*', true);
  select * into known from users where tenant_id = p_tenant and auth_service_user_id = p_subject;
  if known.id is null then
    return;
  end if;
  return query select known.id, known.status, greatest(known.claims_issued_at, known.ignore_tokens_before),
    case when known.status = 'active' then grants_of(p_tenant, known.id, p_now) else '[]'::jsonb end,
    known.is_hq, outlets_of(p_tenant, known.outlet_ids, known.outlets_until);
end
$$;

-- Brings up to date a person of the current tenant as an event says, with the first role that follows; it makes no person.
-- What is older than the newest token seen, or of a lower version, changes nothing; the outlets change unless a newer list was seen.
create function apply_user_event(
  p_subject uuid, p_email text, p_name text, p_status text, p_global_roles text[], p_first_role text,
  p_version integer, p_ignore_tokens_before timestamptz, p_now timestamptz,
  p_is_hq boolean default null, p_outlet_ids uuid[] default null
)
returns void
language plpgsql
set search_path = public, pg_temp
as $$
declare
  known users%rowtype;
begin
  update users set outlet_ids = p_outlet_ids, outlets_until = p_ignore_tokens_before, updated_at = p_now
   where p_outlet_ids is not null and auth_service_user_id = p_subject
     and tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
     and version <= p_version and coalesce(outlets_until, '-infinity') <= p_ignore_tokens_before and status <> 'deleted';
  update users
     set email = p_email, name = p_name, status = p_status, global_roles = p_global_roles, first_role = p_first_role,
         version = p_version, ignore_tokens_before = greatest(ignore_tokens_before, p_ignore_tokens_before), sync_status = 'synced', updated_at = p_now,
         is_hq = coalesce(p_is_hq, is_hq)
   where auth_service_user_id = p_subject and tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid
     and version <= p_version and claims_issued_at <= p_ignore_tokens_before and status <> 'deleted'
  returning * into known;
  if known.status = 'active' and not has_role_of_right(known.tenant_id, known.id, known.first_role, p_now) then
    perform give_first_role(known.tenant_id, known.id, p_now);
  end if;
end
$$;

-- Shuts a person out in every tenant, as an event of no tenant says. Runs as the look-up role.
create function disable_user(p_subject uuid, p_version integer, p_ignore_tokens_before timestamptz, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update users
     set status = 'disabled', version = p_version, ignore_tokens_before = greatest(ignore_tokens_before, p_ignore_tokens_before),
         sync_status = 'synced', updated_at = p_now
   where auth_service_user_id = p_subject and version <= p_version and claims_issued_at <= p_ignore_tokens_before and status <> 'deleted'
$$;

-- Removes what is personal of a person from every tenant; the row stays, empty, for what refers to it and so that no
-- token brings the person back. Runs as the look-up role.
create function erase_user(p_subject uuid, p_version integer, p_now timestamptz)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  delete from user_role_assignments a using users u
   where u.tenant_id = a.tenant_id and u.id = a.user_id and u.auth_service_user_id = p_subject;
  update audit_log set address = null where actor_kind = 'user' and actor_id = p_subject::text and address is not null;
  update platform_audit_log set address = null where actor_kind = 'user' and actor_id = p_subject::text and address is not null;
  update users
     set email = '', name = '', status = 'deleted', global_roles = '{}', version = greatest(version, p_version),
         sync_status = 'synced', updated_at = p_now
   where auth_service_user_id = p_subject and status <> 'deleted'
$$;

-- Writes the declared permissions and system roles. Runs as the look-up role, the only one that may write system roles.
create function seed_access(p_permissions jsonb, p_roles jsonb)
returns void
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtext('seed_access'));
  insert into permissions as known (permission_code, module, action, resource, description)
  select permission_code, module, action, resource, description
    from jsonb_to_recordset(p_permissions) as d (permission_code text, module text, action text, resource text, description text)
      on conflict (permission_code) do update set description = excluded.description
   where known.description <> excluded.description;
  insert into system_roles (role_code)
  select role_code from jsonb_to_recordset(p_roles) as d (role_code text, permissions jsonb)
      on conflict do nothing;
  with declared as (
    select r.id as role_id, p.id as permission_id
      from jsonb_to_recordset(p_roles) as d (role_code text, permissions jsonb)
      join system_roles r on r.role_code = d.role_code
     cross join jsonb_array_elements_text(d.permissions) as code
      join permissions p on p.permission_code = code
  ), outdated as (
    delete from system_role_permissions rp
     where not exists (select from declared d where d.role_id = rp.role_id and d.permission_id = rp.permission_id)
  )
  insert into system_role_permissions (role_id, permission_id) select role_id, permission_id from declared
      on conflict do nothing;
end
$$;

-- The key with this id while it is in force, with the person whose rights bound it: a member of the key's tenant, or for a key that is
-- good for all tenants a member of the platform's own. Asked before a tenant is known, so it runs as the look-up role.
create function find_api_key(p_id text, p_now timestamptz, p_platform_slug text)
returns table (
  secret_hash bytea, tenant_id uuid, permissions text[], expires_at timestamptz,
  creator_id uuid, creator_tenant_id uuid, creator_roles text[], outlet_ids uuid[]
)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select k.secret_hash, k.tenant_id, k.permissions, k.expires_at, k.creator_id, u.tenant_id, u.global_roles, k.outlet_ids
    from (select id, tenant_id, tenant_id as home_id, secret_hash, permissions, expires_at, revoked_at, creator_id, outlet_ids
            from api_keys
           union all
          select id, null, (select t.id from tenants t where t.slug = p_platform_slug), secret_hash, permissions, expires_at, revoked_at,
                 creator_id, null
            from platform_api_keys) k
    left join users u on u.auth_service_user_id = k.creator_id and u.tenant_id = k.home_id
   where k.id = p_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > p_now)
$$;

-- Notes when keys were used, at most once a minute each. Keys of many tenants at once, so it runs as the look-up role.
create function note_key_uses(p_ids text[], p_used_at timestamptz[])
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  update api_keys k set last_used_at = used.at
    from (select id, at from unnest(p_ids, p_used_at) as one (id, at) order by id) as used
   where k.id = used.id and (k.last_used_at is null or used.at - k.last_used_at >= interval '1 minute');
  update platform_api_keys k set last_used_at = used.at
    from (select id, at from unnest(p_ids, p_used_at) as one (id, at) order by id) as used
   where k.id = used.id and (k.last_used_at is null or used.at - k.last_used_at >= interval '1 minute')
$$;

alter function seed_access(jsonb, jsonb) owner to lango_lookup;
alter function find_api_key(text, timestamptz, text) owner to lango_lookup;
alter function note_key_uses(text[], timestamptz[]) owner to lango_lookup;
revoke execute on function seed_access(jsonb, jsonb), find_api_key(text, timestamptz, text), note_key_uses(text[], timestamptz[]) from public;
grant execute on function seed_access(jsonb, jsonb), find_api_key(text, timestamptz, text), note_key_uses(text[], timestamptz[]) to lango_app;
alter function disable_user(uuid, integer, timestamptz, timestamptz) owner to lango_lookup;
alter function erase_user(uuid, integer, timestamptz) owner to lango_lookup;
revoke execute on function disable_user(uuid, integer, timestamptz, timestamptz), erase_user(uuid, integer, timestamptz) from public;
grant execute on function disable_user(uuid, integer, timestamptz, timestamptz), erase_user(uuid, integer, timestamptz) to lango_app;

-- Notifies every process, at the commit, that what it has cached of a person has changed.
create function notify_user_changed()
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
  when ((old.tenant_id, old.email, old.name, old.status, old.global_roles, old.first_role, old.is_hq, old.outlet_ids, old.outlets_until)
        is distinct from (new.tenant_id, new.email, new.name, new.status, new.global_roles, new.first_role, new.is_hq,
                          new.outlet_ids, new.outlets_until))
  execute function notify_user_changed();

-- The same of roles that somebody assigned or took back; the first role follows from the person.
create function notify_assignment_changed()
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
  when (new.assigned_by is not null) execute function notify_assignment_changed();
create trigger user_role_assignments__changed after update on user_role_assignments for each row
  when (old.assigned_by is not null or new.assigned_by is not null) execute function notify_assignment_changed();
create trigger user_role_assignments__removed after delete on user_role_assignments for each row
  when (old.assigned_by is not null) execute function notify_assignment_changed();

-- Keys that are good for all tenants are the platform's: written by these two functions alone, which run as the look-up role.
create function record_platform_key(
  p_id text, p_secret_hash bytea, p_name text, p_permissions text[], p_created_by text, p_expires_at timestamptz, p_now timestamptz,
  p_creator_id uuid default null
)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  insert into platform_api_keys (id, secret_hash, name, permissions, created_by, created_at, expires_at, creator_id)
  values (p_id, p_secret_hash, p_name, p_permissions, p_created_by, p_now, p_expires_at, p_creator_id)
$$;

create function revoke_platform_key(p_id text, p_now timestamptz)
returns boolean
language sql security definer
set search_path = public, pg_temp
as $$
  with revoked as (
    update platform_api_keys set revoked_at = coalesce(revoked_at, p_now) where id = p_id returning id)
  select exists (select from revoked)
$$;

alter function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz, uuid) owner to lango_lookup;
alter function revoke_platform_key(text, timestamptz) owner to lango_lookup;
revoke execute on function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz, uuid),
  revoke_platform_key(text, timestamptz) from public;
grant execute on function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz, uuid),
  revoke_platform_key(text, timestamptz) to lango_app;

-- Notifies every process, at the commit, that what a role grants changed: of one tenant's role that tenant, of a system role all.
create function notify_role_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
declare
  changed role_permissions := case when tg_op = 'DELETE' then old else new end;
begin
  perform pg_notify('domain_changed', concat_ws(' ', 'role', changed.tenant_id));
  return null;
end
$$;
create trigger role_permissions__changed after insert or update or delete on role_permissions for each row
  execute function notify_role_changed();

create function notify_system_roles_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_notify('domain_changed', 'role *');
  return null;
end
$$;
create trigger system_role_permissions__changed after insert or update or delete on system_role_permissions for each row
  execute function notify_system_roles_changed();

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

-- Notifies every process, at the commit, that an outlet was opened, archived or restored: which outlets the people of its tenant have
-- may be different now.
create function notify_outlets_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  perform pg_notify('domain_changed', concat_ws(' ', 'outlets', new.tenant_id));
  return null;
end
$$;
create trigger outlets__made after insert on outlets for each row execute function notify_outlets_changed();
create trigger outlets__changed after update of status on outlets for each row
  when (old.status is distinct from new.status) execute function notify_outlets_changed();
