-- breaking: no

-- Rotates a refresh token: compare and swap on the live hash, or the same successor again within the grace.
-- `reused` is an older one, or the one before after its grace: the session is to be revoked, and no other. Asking for more
-- than was granted (`scope`, `resource`) rotates nothing. Of all functions the one most often called, so the standing of
-- whoever needs no choice of outlets is read here with the rest; `standing_of` says the same and more.
create function rotate_refresh_token(p jsonb) returns json
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_id uuid := (p->>'session_id')::uuid;
  v_client uuid := (p->>'client_id')::uuid;
  v_generation integer := (p->>'generation')::integer;
  v_hash bytea := decode(p->>'hash', 'hex');
  v_scopes text[] := string_to_array(p->>'scope', ' ');
  v_resource text := p->>'resource';
  v_outcome text := 'rotated';
  v_session sessions;
  v_needs_no_choice boolean;
  v_standing json;
begin
  update sessions s
     set generation = s.generation + 1, refresh_hash = decode(p->>'next_hash', 'hex'), rotated_at = v_now,
         idle_expires_at = least(s.expires_at, v_now + (p->>'idle_seconds')::int * interval '1 second')
   where s.id = v_id and s.client_id = v_client and s.revoked_at is null and s.refresh_hash = v_hash
     and s.idle_expires_at > v_now and s.expires_at > v_now
     and (v_scopes is null or string_to_array(s.scope, ' ') @> v_scopes)
     and (v_resource is null or s.resource is null or s.resource = v_resource)
  returning s.* into v_session;
  if not found then
    select s.* into v_session from sessions s where s.id = v_id for update;
    v_outcome := case
      when v_session.id is null or v_session.refresh_hash is null then 'unknown'
      when v_session.client_id <> v_client then 'client'
      when v_session.revoked_at is not null then 'revoked'
      when v_session.idle_expires_at <= v_now or v_session.expires_at <= v_now then 'expired'
      when v_session.refresh_hash = v_hash then 'live'
      when v_generation = v_session.generation - 1 and v_session.rotated_at > v_now - (p->>'grace_seconds')::int * interval '1 second'
        then 'again'
      when v_generation < v_session.generation then 'reused'
      else 'unknown' end;
    if v_outcome in ('live', 'again') then
      v_outcome := case
        when not string_to_array(v_session.scope, ' ') @> v_scopes then 'scope'
        when v_resource <> v_session.resource then 'resource'
        when v_outcome = 'live' then 'unknown'
        else 'again' end;
    end if;
    if v_outcome <> 'again' then
      return json_build_object('outcome', v_outcome);
    end if;
  end if;
  select json_build_object(
      'user', json_build_object('id', u.id, 'email', u.email, 'email_verified', u.email_verified, 'name', u.name, 'status', u.status,
        'primary_tenant_id', u.primary_tenant_id, 'selected_plan', u.selected_plan),
      'tenant', json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status),
      'membership', json_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq),
      'outlets', case when o.id is null then json_build_array()
                      else json_build_array(json_build_object('id', o.id, 'code', o.code, 'use_case', o.use_case)) end),
      o.id is not null or m.is_hq or m.roles && array['admin', 'superuser']
    into v_standing, v_needs_no_choice
    from users u
    join tenants t on t.id = v_session.tenant_id
    join memberships m on m.tenant_id = v_session.tenant_id and m.user_id = v_session.user_id and m.status <> 'removed'
    left join outlets o on o.id = v_session.outlet_id and o.tenant_id = v_session.tenant_id and o.status = 'active'
      and (exists (select from membership_outlets mo
                    where mo.tenant_id = o.tenant_id and mo.user_id = v_session.user_id and mo.outlet_id = o.id)
           or not exists (select from outlets other where other.tenant_id = o.tenant_id and other.status = 'active' and other.id <> o.id))
   where u.id = v_session.user_id;
  if v_needs_no_choice is not true then
    v_standing := standing_of(v_session.user_id, v_session.tenant_id);
  end if;
  return json_build_object('outcome', v_outcome, 'outlet_id', v_session.outlet_id, 'scope', v_session.scope,
    'resource', v_session.resource, 'claims', v_session.claims, 'auth_time', v_session.auth_time, 'amr', v_session.amr,
    'standing', v_standing);
end $$;

-- The same for the release before.
drop function rotate_session(jsonb);
create function rotate_session(p jsonb)
returns table (outcome text, outlet_id uuid, scope text, resource text, claims jsonb, auth_time timestamptz, amr text[], standing jsonb)
language sql volatile security definer set search_path = public, pg_temp
begin atomic
  select r.outcome, r.outlet_id, r.scope, r.resource, r.claims, r.auth_time, r.amr, r.standing
    from json_to_record(rotate_refresh_token(p)) as r (outcome text, outlet_id uuid, scope text, resource text, claims jsonb,
      auth_time timestamptz, amr text[], standing jsonb);
end;
comment on function rotate_session(jsonb) is 'Of the release before, which may still be running; goes with the next one.';

do $$
declare
  one regprocedure;
begin
  foreach one in array array['rotate_refresh_token(jsonb)', 'rotate_session(jsonb)']::regprocedure[] loop
    execute format('alter function %s owner to lango_lookup', one);
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;
