-- breaking: no

-- Whether a person has more live sessions than allowed, of browsers or of clients. Call it after the insert, in its transaction: the lock
-- orders parallel inserts, so that the last of them sees all others.
create function exceeds_session_limit(p_user uuid, p_now timestamptz, p_idle interval, p_max integer) returns boolean
language plpgsql volatile strict security definer set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('sessions of ' || p_user, 0));
  return (select count(*) > p_max from (select from sessions s
      where s.user_id = p_user and s.revoked_at is null and s.expires_at > p_now and s.idle_expires_at > p_now limit p_max + 1) live)
    or (select count(*) > p_max from (select from browser_sessions b
      where b.user_id = p_user and b.ended_at is null and b.expires_at > p_now and b.last_used_at > p_now - p_idle limit p_max + 1) live);
end $$;

-- Ends the least recently used sessions of a person beyond the limit: browser sessions with their client sessions, then client
-- sessions. Returns the client sessions that ended.
create function end_surplus_sessions(p_user uuid, p_now timestamptz, p_idle interval, p_max integer, p_because text)
returns table (session_id uuid, tenant_id uuid, user_id uuid)
language plpgsql volatile security definer set search_path = public, pg_temp
as $$
declare
  v_browsers uuid[];
begin
  perform from users u where u.id = p_user for no key update;
  with surplus as (
    select b.id from browser_sessions b
     where b.user_id = p_user and b.ended_at is null and b.expires_at > p_now and b.last_used_at > p_now - p_idle
     order by b.last_used_at desc, b.auth_time desc, b.id offset p_max
  ), ended as (
    update browser_sessions b set ended_at = p_now from surplus where b.id = surplus.id returning b.id
  )
  select coalesce(array_agg(ended.id), '{}') into v_browsers from ended;
  return query
    update sessions s set revoked_at = p_now, revoked_because = p_because
     where s.browser_session_id = any (v_browsers) and s.revoked_at is null and s.expires_at > p_now
    returning s.id, s.tenant_id, s.user_id;
  return query
    update sessions s set revoked_at = p_now, revoked_because = p_because
     where s.id in (select l.id from sessions l
                     where l.user_id = p_user and l.revoked_at is null and l.expires_at > p_now and l.idle_expires_at > p_now
                     order by l.idle_expires_at desc, l.created_at desc, l.id offset p_max)
       and s.revoked_at is null
    returning s.id, s.tenant_id, s.user_id;
end $$;

do $$
declare
  one regprocedure;
begin
  foreach one in array array['exceeds_session_limit(uuid, timestamptz, interval, integer)',
                             'end_surplus_sessions(uuid, timestamptz, interval, integer, text)']::regprocedure[] loop
    execute format('alter function %s owner to lango_lookup', one);
    execute format('revoke all on function %s from public', one);
    execute format('grant execute on function %s to lango_app', one);
  end loop;
end $$;
