-- breaking: no
-- Suppressions of an address as a tenant may see them: its own, and those of every tenant, without their origin.
create function find_suppressions(p_tenant uuid, p_channel text, p_keys bytea[], p_now timestamptz)
returns table (id uuid, is_platform boolean, channel text, address_masked text, category text, reason text, expires_at timestamptz,
  created_by text, created_at timestamptz)
language sql stable security definer
set search_path = public, pg_temp
as $$
  select s.id, s.tenant_id is null, s.channel, s.address_masked, s.category, s.reason, s.expires_at,
         case when s.tenant_id is not null then s.created_by end, s.created_at
    from suppressions s
   where s.channel = p_channel and s.address_key = any (p_keys)
     and (s.tenant_id = p_tenant or s.tenant_id is null)
     and (s.expires_at is null or s.expires_at > p_now)
   order by s.created_at desc, s.id desc limit 50
$$;
alter function find_suppressions(uuid, text, bytea[], timestamptz) owner to lango_lookup;
revoke execute on function find_suppressions(uuid, text, bytea[], timestamptz) from public;
grant execute on function find_suppressions(uuid, text, bytea[], timestamptz) to lango_app;

-- Whether a suppression is one of every tenant.
create function is_platform_suppression(p_id uuid)
returns boolean
language sql stable security definer
set search_path = public, pg_temp
as $$
  select exists (select from suppressions s where s.id = p_id and s.tenant_id is null)
$$;
alter function is_platform_suppression(uuid) owner to lango_lookup;
revoke execute on function is_platform_suppression(uuid) from public;
grant execute on function is_platform_suppression(uuid) to lango_app;

-- Suppresses an address for every tenant. Returns no row if it is suppressed already. Called for the platform owner.
create function add_platform_suppression(p_suppression jsonb, p_now timestamptz)
returns table (id uuid)
language sql security definer
set search_path = public, pg_temp
as $$
  insert into suppressions as s (tenant_id, channel, address_key_id, address_key, address_masked, category, reason, created_by, created_at)
  values (null, p_suppression->>'channel', p_suppression->>'key_id', decode(p_suppression->>'key', 'hex'), p_suppression->>'masked',
    p_suppression->>'category', p_suppression->>'reason', p_suppression->>'created_by', p_now)
  on conflict on constraint suppressions__address_unique do update
     set reason = excluded.reason, expires_at = null, created_by = excluded.created_by, created_at = excluded.created_at
   where s.expires_at <= p_now
  returning s.id
$$;
alter function add_platform_suppression(jsonb, timestamptz) owner to lango_lookup;
revoke execute on function add_platform_suppression(jsonb, timestamptz) from public;
grant execute on function add_platform_suppression(jsonb, timestamptz) to lango_app;

-- Lifts a suppression of every tenant. Returns whether it existed. Called for the platform owner.
create function lift_platform_suppression(p_id uuid)
returns boolean
language sql security definer
set search_path = public, pg_temp
as $$
  with lifted as (delete from suppressions s where s.id = p_id and s.tenant_id is null returning s.id)
  select exists (select from lifted)
$$;
alter function lift_platform_suppression(uuid) owner to lango_lookup;
revoke execute on function lift_platform_suppression(uuid) from public;
grant execute on function lift_platform_suppression(uuid) to lango_app;
