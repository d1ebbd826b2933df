-- breaking: yes, because a process of an earlier release reads no outlets of a key and would let it into every one
alter table api_keys add column outlet_ids uuid[];
comment on column api_keys.outlet_ids is 'The outlets whose rows the key sees and changes; null: every one.';

drop function find_api_key(text, timestamptz, text);
-- The key with this id while it is in force, with the person whose rights bound it: a member of the key's tenant, or for a key that is
-- good for all tenants a member of the platform's own. Asked before a tenant is known, so it runs as the look-up role. The third
-- parameter has a default for the release before.
create function find_api_key(p_id text, p_now timestamptz, p_platform_slug text default null)
returns table (
  secret_hash bytea, tenant_id uuid, permissions text[], expires_at timestamptz,
  creator_id uuid, creator_tenant_id uuid, creator_roles text[], outlet_ids uuid[]
)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select k.secret_hash, k.tenant_id, k.permissions, k.expires_at, k.creator_id, u.tenant_id, u.global_roles, k.outlet_ids
    from api_keys k
    left join users u on u.auth_service_user_id = k.creator_id
     and u.tenant_id = coalesce(k.tenant_id, (select id from tenants where slug = p_platform_slug))
   where k.id = p_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > p_now)
$$;
alter function find_api_key(text, timestamptz, text) owner to lango_lookup;
revoke execute on function find_api_key(text, timestamptz, text) from public;
grant execute on function find_api_key(text, timestamptz, text) to lango_app;
