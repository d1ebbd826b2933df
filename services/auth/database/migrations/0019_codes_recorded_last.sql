-- breaking: no

-- Records an authorization code if the person behind a cookie may have it, and extends the browser session: one statement. The outcome is
-- `recorded`, `sign_in_required` (no live session, another person than `subject`, or a sign-in before `signed_in_since`), `not_a_member`
-- or `tenant_inactive`. The tenant is the one of `tenant_slug`; without a slug it is the person's primary tenant. The commit does not wait for
-- the disk: if a crash loses a code, the client asks for another.
create function issue_code(p jsonb) returns text
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_now timestamptz := (p->>'now')::timestamptz;
  v_slug text := p->>'tenant_slug';
  v_browser uuid;
  v_user uuid;
  v_auth_time timestamptz;
  v_amr text[];
  v_used_at timestamptz;
  v_tenant uuid;
  v_tenant_status text;
begin
  select b.id, b.user_id, b.auth_time, b.amr, b.last_used_at, m.tenant_id, t.status
    into v_browser, v_user, v_auth_time, v_amr, v_used_at, v_tenant, v_tenant_status
    from browser_sessions b
    join users u on u.id = b.user_id and u.status in ('active', 'pending', 'pending_review')
    left join tenants t on t.id = case when v_slug is null then u.primary_tenant_id else (select named.id from tenants named where named.slug = v_slug) end
    left join memberships m on m.tenant_id = t.id and m.user_id = u.id and m.status <> 'removed'
   where b.token_hash = decode(p->>'cookie_hash', 'hex') and b.ended_at is null and b.expires_at > v_now
     and b.last_used_at > v_now - (p->>'idle_seconds')::int * interval '1 second';
  if not found then
    return 'sign_in_required';
  end if;
  if v_used_at < v_now - interval '1 minute' then
    update browser_sessions b set last_used_at = v_now where b.id = v_browser and b.last_used_at < v_now - interval '1 minute';
  end if;
  if v_user::text <> p->>'subject' or v_auth_time < (p->>'signed_in_since')::timestamptz then
    return 'sign_in_required';
  end if;
  if v_tenant is null then
    return 'not_a_member';
  end if;
  if v_tenant_status <> 'active' then
    return 'tenant_inactive';
  end if;
  perform set_config('synchronous_commit', 'off', true);
  insert into authorization_codes (code_hash, tenant_id, user_id, client_id, browser_session_id, redirect_uri, code_challenge, scope,
    resource, claims, nonce, auth_time, amr, expires_at)
  values (decode(p->>'code_hash', 'hex'), v_tenant, v_user, (p->>'client_id')::uuid, v_browser, p->>'redirect_uri',
    p->>'code_challenge', p->>'scope', p->>'resource', nullif(p->'claims', 'null'), p->>'nonce', v_auth_time, v_amr,
    (p->>'expires_at')::timestamptz);
  return 'recorded';
end $$;
alter function issue_code(jsonb) owner to lango_lookup;
revoke all on function issue_code(jsonb) from public;
grant execute on function issue_code(jsonb) to lango_app;

comment on function record_code_for_cookie(jsonb) is 'Of the previous release, which may still be running; removed in the next one.';
