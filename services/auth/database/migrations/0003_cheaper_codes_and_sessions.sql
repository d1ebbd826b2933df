-- breaking: no

-- A code lives a minute, and the session it opens has these references: checking them for the code, too, only costs.
alter table authorization_codes
  drop constraint authorization_codes__tenant_id_fkey,
  drop constraint authorization_codes__user_id_fkey,
  drop constraint authorization_codes__client_id_fkey,
  drop constraint authorization_codes__browser_session_id_fkey;
comment on table authorization_codes is 'Codes on their way from the browser to a client: 60 seconds, once, for whom they were made. No references: the session that a code opens has them.';
comment on column authorization_codes.session_id is 'The session its first use opened, if everything fitted; a second use revokes it.';

-- A session row is rewritten at each refresh; with room on its page that touches no index.
alter table sessions set (fillfactor = 80);

-- Who is signed in behind a cookie, as resume_browser_session says, and a code for them in the tenant meant: one statement.
-- Whether they may have the code is decided with the answer; one that nobody is told is worth nothing. A code that a crash
-- loses is asked for again, so this does not wait for the disk; using a code up does.
create function ask_for_code(p jsonb)
returns table (id uuid, user_id uuid, auth_time timestamptz, amr text[], standing jsonb)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
begin
  select r.id, r.user_id, r.auth_time, r.amr, r.standing into id, user_id, auth_time, amr, standing
    from resume_browser_session(decode(p->>'cookie_hash', 'hex'), (p->>'now')::timestamptz,
      (p->>'idle_seconds')::int * interval '1 second', p->>'tenant_slug') r;
  if not found then
    return;
  end if;
  if standing is not null then
    perform set_config('synchronous_commit', 'off', true);
    insert into authorization_codes (code_hash, tenant_id, user_id, client_id, browser_session_id, redirect_uri, code_challenge, scope,
      resource, claims, nonce, auth_time, amr, expires_at)
    values (decode(p->>'code_hash', 'hex'), (standing #>> '{tenant,id}')::uuid, user_id, (p->>'client_id')::uuid, id,
      p->>'redirect_uri', p->>'code_challenge', p->>'scope', p->>'resource', nullif(p->'claims', 'null'), p->>'nonce', auth_time, amr,
      (p->>'expires_at')::timestamptz);
  end if;
  return next;
end $$;
alter function ask_for_code(jsonb) owner to lango_lookup;
revoke all on function ask_for_code(jsonb) from public;
grant execute on function ask_for_code(jsonb) to lango_app;
comment on function record_code(jsonb) is 'Of the release before, which may still be running; goes with the next one.';

-- Uses a code up, whatever comes of it, and opens its session when everything fits: one statement, so that of twenty
-- parallel uses one wins. `outcome` says what did not fit; of a second use, `opened` is the session the first one opened.
-- The browser's session is held until the end, so that a sign-out at the same moment either comes first or ends this
-- session too. Whoever has a single outlet and is bound to it starts there.
drop function exchange_code(jsonb);
create function exchange_code(p jsonb)
returns table (outcome text, opened uuid, outlet_id uuid, scope text, resource text, claims jsonb, nonce text, auth_time timestamptz,
  amr text[], standing jsonb)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_hash bytea := decode(p->>'code_hash', 'hex');
  v_session uuid := (p->>'session_id')::uuid;
  v_code authorization_codes;
  v_offline boolean;
begin
  update authorization_codes c set used_at = v_now, session_id = v_session where c.code_hash = v_hash and c.used_at is null
  returning c.* into v_code;
  if not found then
    select 'used', c.session_id into outcome, opened from authorization_codes c where c.code_hash = v_hash;
    outcome := coalesce(outcome, 'unknown');
    return next;
    return;
  end if;
  outcome := case
    when v_code.expires_at <= v_now then 'expired'
    when v_code.client_id <> (p->>'client_id')::uuid then 'client'
    when v_code.redirect_uri is distinct from p->>'redirect_uri' then 'redirect_uri'
    when v_code.code_challenge is distinct from p->>'code_challenge' then 'code_verifier'
    when p->>'resource' is not null and v_code.resource is not null and p->>'resource' <> v_code.resource then 'resource'
    else 'ok' end;
  if outcome = 'ok' then
    perform from browser_sessions b
      where b.id = v_code.browser_session_id and b.ended_at is null and b.expires_at > v_now for share;
    if not found then
      outcome := 'signed_out';
    end if;
  end if;
  if outcome <> 'ok' then
    return next;
    return;
  end if;
  standing := standing_of(v_code.user_id, v_code.tenant_id);
  if standing is null then
    outcome := 'unknown';
    return next;
    return;
  end if;
  if standing #>> '{user,status}' = 'active' and standing #>> '{membership,status}' = 'active'
    and standing #> '{membership,is_hq}' = 'false' and not standing #> '{membership,roles}' ?| array['admin', 'superuser']
    and jsonb_array_length(standing->'outlets') = 1 then
    outlet_id := (standing #>> '{outlets,0,id}')::uuid;
  end if;
  v_offline := 'offline_access' = any (string_to_array(v_code.scope, ' '));
  insert into sessions (id, tenant_id, user_id, client_id, browser_session_id, outlet_id, scope, resource, claims, auth_time, amr,
    refresh_hash, refresh_salt, refresh_key_id, idle_expires_at, expires_at)
  values (v_session, v_code.tenant_id, v_code.user_id, v_code.client_id, v_code.browser_session_id, outlet_id, v_code.scope,
    v_code.resource, v_code.claims, v_code.auth_time, v_code.amr,
    case when v_offline then decode(p->>'refresh_hash', 'hex') end,
    case when v_offline then p->>'refresh_salt' end,
    case when v_offline then p->>'refresh_key_id' end,
    v_now + (p->>'idle_seconds')::int * interval '1 second', v_now + (p->>'life_seconds')::int * interval '1 second');
  scope := v_code.scope;
  resource := v_code.resource;
  claims := v_code.claims;
  nonce := v_code.nonce;
  auth_time := v_code.auth_time;
  amr := v_code.amr;
  return next;
end $$;
alter function exchange_code(jsonb) owner to lango_lookup;
revoke all on function exchange_code(jsonb) from public;
grant execute on function exchange_code(jsonb) to lango_app;

-- Rotates a refresh token: compare and swap on the live hash, or the same successor again within the grace.
-- `reused` is an older one, or the one before after its grace: the session is to be revoked, and no other. Asking for more
-- than was granted (`scope`, `resource`) rotates nothing.
create or replace function rotate_session(p jsonb)
returns table (outcome text, outlet_id uuid, scope text, resource text, claims jsonb, auth_time timestamptz, amr text[], standing jsonb)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_id uuid := (p->>'session_id')::uuid;
  v_client uuid := (p->>'client_id')::uuid;
  v_generation integer := (p->>'generation')::integer;
  v_hash bytea := decode(p->>'hash', 'hex');
  v_scopes text[] := coalesce(string_to_array(p->>'scope', ' '), '{}');
  v_resource text := p->>'resource';
  v_session sessions;
begin
  update sessions s
     set generation = s.generation + 1, refresh_hash = decode(p->>'next_hash', 'hex'), rotated_at = v_now,
         idle_expires_at = least(s.expires_at, v_now + (p->>'idle_seconds')::int * interval '1 second')
   where s.id = v_id and s.client_id = v_client and s.revoked_at is null and s.refresh_hash = v_hash
     and s.idle_expires_at > v_now and s.expires_at > v_now
     and (v_scopes = '{}' or string_to_array(s.scope, ' ') @> v_scopes)
     and (v_resource is null or s.resource is null or s.resource = v_resource)
  returning s.* into v_session;
  if found then
    outcome := 'rotated';
  else
    select s.* into v_session from sessions s where s.id = v_id for update;
    outcome := case
      when v_session.id is null or v_session.refresh_hash is null then 'unknown'
      when v_session.client_id <> v_client then 'client'
      when v_session.revoked_at is not null then 'revoked'
      when v_session.idle_expires_at <= v_now or v_session.expires_at <= v_now then 'expired'
      when v_session.refresh_hash = v_hash then 'live'
      when v_generation = v_session.generation - 1 and v_session.rotated_at > v_now - (p->>'grace_seconds')::int * interval '1 second'
        then 'again'
      when v_generation < v_session.generation then 'reused'
      else 'unknown' end;
    if outcome in ('live', 'again') then
      outcome := case
        when not string_to_array(v_session.scope, ' ') @> v_scopes then 'scope'
        when v_resource <> v_session.resource then 'resource'
        when outcome = 'live' then 'unknown'
        else 'again' end;
    end if;
  end if;
  if outcome in ('rotated', 'again') then
    standing := standing_of(v_session.user_id, v_session.tenant_id);
  end if;
  outlet_id := v_session.outlet_id;
  scope := v_session.scope;
  resource := v_session.resource;
  claims := v_session.claims;
  auth_time := v_session.auth_time;
  amr := v_session.amr;
  return next;
end $$;

-- Ends the browser session behind a cookie, or the one a client session hangs on, and every client session that hangs on
-- it; answers those that lived until now. In two statements, so that the second sees the session of a code that was being
-- used when the first had to wait for it.
create or replace function end_browser_session(p_token_hash bytea, p_session uuid, p_now timestamptz, p_because text)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_browser uuid;
begin
  select b.id into v_browser from browser_sessions b
   where b.token_hash = p_token_hash or b.id = (select s.browser_session_id from sessions s where s.id = p_session)
     for update;
  update browser_sessions b set ended_at = p_now where b.id = v_browser and b.ended_at is null;
  return query
    update sessions s set revoked_at = p_now, revoked_because = p_because
     where s.browser_session_id = v_browser and s.revoked_at is null and s.expires_at > p_now
    returning s.id, s.tenant_id, s.user_id;
end $$;
