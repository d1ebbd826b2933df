-- breaking: no
-- Providers that administrators manage.

-- Creates a provider of a tenant, or of the platform where p_tenant is null; with an id it changes the one of this owner. Members
-- that are missing stay as they are. Returns the id; null if this owner has no provider with it.
create function save_provider(p_tenant uuid, p_id uuid, p_provider jsonb, p_now timestamptz)
returns uuid
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_id uuid;
begin
  if p_id is null then
    insert into providers (tenant_id, channel, kind, name, base_url, credentials_key_id, credentials, weight, resting_weight,
      per_second, in_flight_max, webhook_token_hash, enabled, created_by, created_at, updated_at)
    values (p_tenant, p_provider->>'channel', p_provider->>'kind', p_provider->>'name', p_provider->>'base_url',
      p_provider->>'credentials_key_id', decode(p_provider->>'credentials', 'hex'), (p_provider->>'resting_weight')::integer,
      (p_provider->>'resting_weight')::integer, (p_provider->>'per_second')::integer, (p_provider->>'in_flight_max')::integer,
      decode(p_provider->>'webhook_token_hash', 'hex'), (p_provider->>'enabled')::boolean, p_provider->>'made_by', p_now, p_now)
    returning id into v_id;
  else
    update providers p
       set name = coalesce(p_provider->>'name', p.name), base_url = coalesce(p_provider->>'base_url', p.base_url),
           credentials_key_id = coalesce(p_provider->>'credentials_key_id', p.credentials_key_id),
           credentials = coalesce(decode(p_provider->>'credentials', 'hex'), p.credentials),
           resting_weight = coalesce((p_provider->>'resting_weight')::integer, p.resting_weight),
           weight = coalesce((p_provider->>'resting_weight')::integer, p.weight),
           per_second = coalesce((p_provider->>'per_second')::integer, p.per_second),
           in_flight_max = coalesce((p_provider->>'in_flight_max')::integer, p.in_flight_max),
           webhook_token_hash = coalesce(decode(p_provider->>'webhook_token_hash', 'hex'), p.webhook_token_hash),
           enabled = coalesce((p_provider->>'enabled')::boolean, p.enabled), updated_at = p_now
     where p.id = p_id and p.tenant_id is not distinct from p_tenant
    returning p.id into v_id;
  end if;
  perform pg_notify('notifications_changed', 'providers');
  return v_id;
end
$$;
alter function save_provider(uuid, uuid, jsonb, timestamptz) owner to lango_lookup;
revoke execute on function save_provider(uuid, uuid, jsonb, timestamptz) from public;
grant execute on function save_provider(uuid, uuid, jsonb, timestamptz) to lango_app;

-- Removes a provider of a tenant, or of the platform where p_tenant is null. Returns whether there was one.
create function remove_provider(p_tenant uuid, p_id uuid)
returns boolean
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  delete from providers p where p.id = p_id and p.tenant_id is not distinct from p_tenant;
  if not found then return false; end if;
  perform pg_notify('notifications_changed', 'providers');
  return true;
end
$$;
alter function remove_provider(uuid, uuid) owner to lango_lookup;
revoke execute on function remove_provider(uuid, uuid) from public;
grant execute on function remove_provider(uuid, uuid) to lango_app;

-- How a provider did by the minute since a time, the newest first: of a day at most.
create function list_provider_minutes(p_id uuid, p_since timestamptz)
returns table (minute timestamptz, sent integer, errors integer, slow integer)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select m.minute, m.sent, m.errors, m.slow from provider_minutes m
   where m.provider_id = p_id and m.minute >= p_since order by m.minute desc limit 1440
$$;
alter function list_provider_minutes(uuid, timestamptz) owner to lango_lookup;
revoke execute on function list_provider_minutes(uuid, timestamptz) from public;
grant execute on function list_provider_minutes(uuid, timestamptz) to lango_app;
