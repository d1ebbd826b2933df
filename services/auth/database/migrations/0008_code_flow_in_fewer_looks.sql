-- breaking: no

-- Who is signed in behind a cookie, kept alive by this use (noted once a minute), and a code for them in the tenant meant: the one named by
-- its slug, else their primary one. No row when the browser's session has ended, idled away or run out; `tenant_status` is null, and there is
-- no code, when the person does not belong to the tenant. Whether they may have the code is decided with the answer; one that nobody is
-- told is worth nothing. A code that a crash loses is asked for again, so this does not wait for the disk; using a code up does.
create function record_code_for_cookie(p jsonb)
returns table (user_id uuid, auth_time timestamptz, tenant_status text)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_slug text := p->>'tenant_slug';
  v_browser uuid;
  v_tenant uuid;
  v_amr text[];
  v_used_at timestamptz;
begin
  select b.id, b.user_id, b.auth_time, b.amr, b.last_used_at, m.tenant_id, case when m.tenant_id is not null then t.status end
    into v_browser, user_id, auth_time, v_amr, v_used_at, v_tenant, tenant_status
    from browser_sessions b
    join users u on u.id = b.user_id and u.status in ('active', 'pending', 'pending_review')
    left join tenants t on t.id = case when v_slug is null then u.primary_tenant_id else (select named.id from tenants named where named.slug = v_slug) end
    left join memberships m on m.tenant_id = t.id and m.user_id = u.id and m.status <> 'removed'
   where b.token_hash = decode(p->>'cookie_hash', 'hex') and b.ended_at is null and b.expires_at > v_now
     and b.last_used_at > v_now - (p->>'idle_seconds')::int * interval '1 second';
  if not found then
    return;
  end if;
  if v_used_at < v_now - interval '1 minute' then
    update browser_sessions b set last_used_at = v_now where b.id = v_browser and b.last_used_at < v_now - interval '1 minute';
  end if;
  if v_tenant is not null then
    perform set_config('synchronous_commit', 'off', true);
    insert into authorization_codes (code_hash, tenant_id, user_id, client_id, browser_session_id, redirect_uri, code_challenge, scope,
      resource, claims, nonce, auth_time, amr, expires_at)
    values (decode(p->>'code_hash', 'hex'), v_tenant, user_id, (p->>'client_id')::uuid, v_browser, p->>'redirect_uri',
      p->>'code_challenge', p->>'scope', p->>'resource', nullif(p->'claims', 'null'), p->>'nonce', auth_time, v_amr,
      (p->>'expires_at')::timestamptz);
  end if;
  return next;
end $$;

-- Uses a code up, whatever comes of it, and opens its session when everything fits: one statement, so that of twenty
-- parallel uses one wins. `outcome` says what did not fit; of a second use, `opened` is the session the first one opened.
-- The browser's session is held until the end, so that a sign-out at the same moment either comes first or ends this
-- session too. Whoever has a single outlet and is bound to it starts there. The standing is what `standing_of` says, but that who is
-- bound to no outlet has none listed.
create function redeem_code(p jsonb) returns json
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
      json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'status', t.status),
      case when m.user_id is not null then json_build_object('roles', m.roles, 'status', m.status, 'is_hq', m.is_hq) end,
      u.status = 'active' and m.status = 'active', not m.is_hq and not m.roles && array['admin', 'superuser']
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

do $$
declare
  one regprocedure;
begin
  foreach one in array array['record_code_for_cookie(jsonb)', 'redeem_code(jsonb)']::regprocedure[] loop
    execute format('alter function %s owner to lango_lookup', one);
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;
comment on function ask_for_code(jsonb) is 'Of the release before, which may still be running; goes with the next one.';
comment on function exchange_code(jsonb) is 'Of the release before, which may still be running; goes with the next one.';
