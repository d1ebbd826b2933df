-- breaking: no

-- Near its absolute expiry a session in use has an idle expiry that is earlier than that of a session used before it, so the order is the time
-- of the last refresh, as in list_user_sessions.

-- Ends the least recently used sessions of a person beyond the limit: browser sessions with their client sessions, then client
-- sessions. Returns the client sessions that ended.
create or replace function end_surplus_sessions(p_user uuid, p_now timestamptz, p_idle interval, p_max integer, p_because text)
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
                     order by coalesce(l.rotated_at, l.created_at) desc, l.id offset p_max)
       and s.revoked_at is null
    returning s.id, s.tenant_id, s.user_id;
end $$;
