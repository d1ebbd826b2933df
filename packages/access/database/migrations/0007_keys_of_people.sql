-- breaking: no

alter table api_keys
  add column creator_id uuid,
  add column last_used_at timestamptz;
comment on column api_keys.creator_id is 'The person whose present rights bound the key, by their id at the sign-on service. Null: it keeps its permissions, because a visiting platform owner or a program made it.';
comment on column api_keys.last_used_at is 'When it was last accepted, to the minute; null: not since this is recorded.';

-- People live in their own tenant: whoever has no user there was a visitor. Keys that a key made are bound to whoever made that key.
alter table api_keys no force row level security;
alter table users no force row level security;
with recursive made as (
  select k.id, u.auth_service_user_id as creator_id, 1 as depth
    from api_keys k join users u on u.tenant_id = k.tenant_id and u.auth_service_user_id::text = k.created_by
  union all
  select k.id, made.creator_id, made.depth + 1
    from api_keys k join made on k.created_by = made.id where made.depth < 20
)
update api_keys k set creator_id = made.creator_id from made where made.id = k.id;
alter table api_keys force row level security;
alter table users force row level security;

-- The key of the platform is looked up with its tenant.
grant select (id, slug) on tenants to lango_lookup;
create policy api_keys__used on api_keys for update to lango_lookup using (true);

drop function find_api_key(text, timestamptz);
-- The key with this id while it is in force, with the person whose rights bound it: a member of the key's tenant, or for a key that is
-- good for all tenants a member of the platform's own. Asked before a tenant is known, so it runs as the look-up role. The third
-- parameter has a default for the release before.
create function find_api_key(p_id text, p_now timestamptz, p_platform_slug text default null)
returns table (
  secret_hash bytea, tenant_id uuid, permissions text[], expires_at timestamptz,
  creator_id uuid, creator_tenant_id uuid, creator_roles text[]
)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select k.secret_hash, k.tenant_id, k.permissions, k.expires_at, k.creator_id, u.tenant_id, u.global_roles
    from api_keys k
    left join users u on u.auth_service_user_id = k.creator_id
     and u.tenant_id = coalesce(k.tenant_id, (select id from tenants where slug = p_platform_slug))
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
   where k.id = used.id and (k.last_used_at is null or k.last_used_at <= used.at - interval '1 minute')
$$;

drop function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz);
create function record_platform_key(
  p_id text, p_secret_hash bytea, p_name text, p_permissions text[], p_created_by text, p_expires_at timestamptz, p_now timestamptz,
  p_creator_id uuid default null
)
returns void
language sql security definer
set search_path = public, pg_temp
as $$
  insert into api_keys (id, secret_hash, name, permissions, created_by, created_at, expires_at, creator_id)
  values (p_id, p_secret_hash, p_name, p_permissions, p_created_by, p_now, p_expires_at, p_creator_id)
$$;

alter function find_api_key(text, timestamptz, text) owner to lango_lookup;
alter function note_key_uses(text[], timestamptz[]) owner to lango_lookup;
alter function record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz, uuid) owner to lango_lookup;
revoke execute on function find_api_key(text, timestamptz, text), note_key_uses(text[], timestamptz[]),
  record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz, uuid) from public;
grant execute on function find_api_key(text, timestamptz, text), note_key_uses(text[], timestamptz[]),
  record_platform_key(text, bytea, text, text[], text, timestamptz, timestamptz, uuid) to lango_app;
