-- breaking: no

alter table roles
  add column description text not null default '',
  add column version integer not null default 1;
comment on column roles.version is 'Counts the changes of a tenant''s own role; its events carry it.';

alter table users add column access_version integer not null default 0;
comment on column users.access_version is 'Counts the changes of what is assigned to the person; its events carry it.';

create index audit_log__tenant_time on audit_log (tenant_id, occurred_at desc, id desc);
create index audit_log__time on audit_log (occurred_at desc, id desc);
create index audit_log__tenant_actor on audit_log (tenant_id, actor_id, occurred_at desc, id desc);
create index users__tenant_email on users (tenant_id, email, id);

-- Keys that are good for all tenants are the platform's: written by these two functions alone, which run as the look-up role.
create policy api_keys__of_platform on api_keys to lango_lookup using (tenant_id is null);
grant insert, update on api_keys to lango_lookup;

create function record_platform_key(
  p_id text, p_secret_hash bytea, p_name text, p_permissions text[], p_created_by text, p_expires_at timestamptz, p_now timestamptz
)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  insert into api_keys (id, secret_hash, name, permissions, created_by, created_at, expires_at)
  values (p_id, p_secret_hash, p_name, p_permissions, p_created_by, p_now, p_expires_at)
$$;

create function revoke_platform_key(p_id text, p_now timestamptz)
returns boolean
language sql security definer
set search_path = public, pg_temp
as $$
  with revoked as (
    update api_keys set revoked_at = coalesce(revoked_at, p_now) where id = p_id and tenant_id is null returning id)
  select exists (select from revoked)
$$;

alter function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz) owner to lango_lookup;
alter function revoke_platform_key(text, timestamptz) owner to lango_lookup;
revoke execute on function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz),
  revoke_platform_key(text, timestamptz) from public;
grant execute on function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz),
  revoke_platform_key(text, timestamptz) to lango_app;

-- Tells every process, at the commit, that what a role grants changed: of one tenant's role that tenant, of a system role all.
create function tell_role_changed()
returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
declare
  changed role_permissions := case when tg_op = 'DELETE' then old else new end;
begin
  perform pg_notify('domain_changed', concat_ws(' ', 'role', coalesce(r.tenant_id::text, '*')))
     from roles r where r.id = changed.role_id;
  return null;
end
$$;
create trigger role_permissions__changed after insert or update or delete on role_permissions for each row
  execute function tell_role_changed();
