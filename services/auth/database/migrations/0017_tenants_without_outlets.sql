-- breaking: no

-- The standing of a person says whether their tenant has any active outlet: without one, a member is bound to none.

create or replace function standing_of(p_user uuid, p_tenant uuid) returns jsonb
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select jsonb_build_object(
    'user', jsonb_build_object('id', u.id, 'email', u.email, 'email_verified', u.email_verified, 'name', u.name, 'status', u.status,
      'primary_tenant_id', u.primary_tenant_id, 'selected_plan', u.selected_plan),
    'tenant', jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status,
      'has_outlets', exists (select from outlets any_one where any_one.tenant_id = p_tenant and any_one.status = 'active')),
    'membership', (select jsonb_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq,
         'is_hq_user', is_hq_user(m.roles, m.is_hq))
       from memberships m where m.tenant_id = p_tenant and m.user_id = p_user and m.status <> 'removed'),
    'outlets', coalesce((
      select jsonb_agg(jsonb_build_object('id', o.id, 'code', o.code, 'use_case', o.use_case) order by o.code)
        from (select id, code, use_case from outlets o
               where o.tenant_id = p_tenant and o.status = 'active'
                 and ((select count(*) from (select from outlets one where one.tenant_id = p_tenant and one.status = 'active' limit 2) two) = 1
                      or exists (select from membership_outlets mo
                                  where mo.tenant_id = p_tenant and mo.user_id = p_user and mo.outlet_id = o.id))
               order by o.code limit 500) o), '[]'))
    from users u, tenants t where u.id = p_user and t.id = p_tenant;
end;

create or replace function redeem_code(p jsonb) returns json
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_hash bytea := decode(p->>'code_hash', 'hex');
  v_session uuid := (p->>'session_id')::uuid;
  v_code authorization_codes;
  v_opened uuid;
  v_outcome text;
  v_user json;
  v_tenant json;
  v_membership json;
  v_outlets json := '[]';
  v_outlet uuid;
  v_is_active boolean;
  v_is_bound boolean;
  v_offline boolean;
begin
  update authorization_codes c set used_at = v_now, session_id = v_session where c.code_hash = v_hash and c.used_at is null
  returning c.* into v_code;
  if not found then
    select 'used', c.session_id into v_outcome, v_opened from authorization_codes c where c.code_hash = v_hash;
    return json_build_object('outcome', coalesce(v_outcome, 'unknown'), 'opened', v_opened);
  end if;
  v_outcome := case
    when v_code.expires_at <= v_now then 'expired'
    when v_code.client_id <> (p->>'client_id')::uuid then 'client'
    when v_code.redirect_uri is distinct from p->>'redirect_uri' then 'redirect_uri'
    when v_code.code_challenge is distinct from p->>'code_challenge' then 'code_verifier'
    when p->>'resource' is not null and v_code.resource is not null and p->>'resource' <> v_code.resource then 'resource' end;
  if v_outcome is not null then
    return json_build_object('outcome', v_outcome);
  end if;
  select json_build_object('id', u.id, 'email', u.email, 'email_verified', u.email_verified, 'name', u.name, 'status', u.status,
      'primary_tenant_id', u.primary_tenant_id, 'selected_plan', u.selected_plan),
      json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status,
        'has_outlets', exists (select from outlets any_one where any_one.tenant_id = t.id and any_one.status = 'active')),
      case when m.user_id is not null then json_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq,
        'is_hq_user', is_hq_user(m.roles, m.is_hq)) end,
      u.status = 'active' and m.status = 'active', not is_hq_user(m.roles, m.is_hq)
    into v_user, v_tenant, v_membership, v_is_active, v_is_bound
    from browser_sessions b
    join users u on u.id = v_code.user_id
    join tenants t on t.id = v_code.tenant_id
    left join memberships m on m.tenant_id = v_code.tenant_id and m.user_id = v_code.user_id and m.status <> 'removed'
   where b.id = v_code.browser_session_id and b.ended_at is null and b.expires_at > v_now
     for share of b;
  if not found then
    return json_build_object('outcome', 'signed_out');
  end if;
  if v_is_bound then
    select coalesce(json_agg(json_build_object('id', o.id, 'code', o.code, 'use_case', o.use_case) order by o.code), '[]'),
        case when v_is_active and count(*) = 1 then (array_agg(o.id))[1] end
      into v_outlets, v_outlet
      from (select one.id, one.code, one.use_case from outlets one
             where one.tenant_id = v_code.tenant_id and one.status = 'active'
               and (exists (select from membership_outlets mo
                             where mo.tenant_id = v_code.tenant_id and mo.user_id = v_code.user_id and mo.outlet_id = one.id)
                    or not exists (select from outlets other
                                    where other.tenant_id = v_code.tenant_id and other.status = 'active' and other.id <> one.id))
             order by one.code limit 500) o;
  end if;
  v_offline := 'offline_access' = any (string_to_array(v_code.scope, ' '));
  insert into sessions (id, tenant_id, user_id, client_id, browser_session_id, outlet_id, scope, resource, claims, auth_time, amr,
    refresh_hash, refresh_salt, refresh_key_id, idle_expires_at, expires_at)
  values (v_session, v_code.tenant_id, v_code.user_id, v_code.client_id, v_code.browser_session_id, v_outlet, v_code.scope,
    v_code.resource, v_code.claims, v_code.auth_time, v_code.amr,
    case when v_offline then decode(p->>'refresh_hash', 'hex') end,
    case when v_offline then p->>'refresh_salt' end,
    case when v_offline then p->>'refresh_key_id' end,
    v_now + (p->>'idle_seconds')::int * interval '1 second', v_now + (p->>'life_seconds')::int * interval '1 second');
  return json_build_object('outcome', 'ok', 'outlet_id', v_outlet, 'scope', v_code.scope, 'resource', v_code.resource,
    'claims', v_code.claims, 'nonce', v_code.nonce, 'auth_time', v_code.auth_time, 'amr', v_code.amr,
    'standing', json_build_object('user', v_user, 'tenant', v_tenant, 'membership', v_membership, 'outlets', v_outlets));
end $$;

create or replace function rotate_refresh_token(p jsonb) returns json
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
      'tenant', json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status, 'has_outlets',
        o.id is not null or exists (select from outlets any_one where any_one.tenant_id = t.id and any_one.status = 'active')),
      'membership', json_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq,
        'is_hq_user', is_hq_user(m.roles, m.is_hq)),
      'outlets', case when o.id is null then json_build_array()
                      else json_build_array(json_build_object('id', o.id, 'code', o.code, 'use_case', o.use_case)) end),
      o.id is not null or is_hq_user(m.roles, m.is_hq)
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
